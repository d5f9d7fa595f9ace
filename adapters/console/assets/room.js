// A room's page, live, with what stands beside the conversation, and a form that does not load the page again.
import { follow, nodes, whenLeft, words } from "./live.js";
import { conversation } from "./talk.js";

const room = document.querySelector(".room");
const link = document.getElementById("link");
// How the page follows is told again so many milliseconds after it was told what became of a message.
const TOLD = 4000;
let state = "";
let telling;
// An old part of the conversation stays what it is.
const old = "old" in room.dataset;
const { arrive, toEnd } = conversation(room.dataset.earlier);

const aside = document.getElementById("aside");
const once = whenLeft(aside);
const beside = (html) => once(() => aside.replaceChildren(nodes(html)));

const close = follow(
  `${room.dataset.live}?since=${room.dataset.since}`,
  {
    item: old ? () => {} : arrive,
    aside: beside,
    over: () => {
      close();
      location.reload();
    },
  },
  (now) => {
    state = now;
    link.textContent = words(state);
    room.dataset.state = state;
  },
);

const say = document.getElementById("say");
if (say && !old) {
  const field = say.querySelector("textarea");
  say.addEventListener("submit", async (event) => {
    event.preventDefault();
    clearTimeout(telling);
    const button = say.querySelector("button");
    button.disabled = true;
    try {
      const answer = await fetch(say.action, {
        method: "POST",
        headers: { Accept: "text/plain" },
        body: new URLSearchParams(new FormData(say)),
      });
      if (answer.ok) {
        field.value = "";
        toEnd();
      }
      link.textContent = answer.ok ? "Said" : await answer.text();
      if (answer.ok) telling = setTimeout(() => (link.textContent = words(state)), TOLD);
    } catch {
      link.textContent = "The gateway does not answer; nothing was said.";
    } finally {
      button.disabled = false;
      field.focus();
    }
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) say.requestSubmit();
  });
}
