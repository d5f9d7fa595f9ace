// A room's page, live: new events come at the end, earlier ones when one scrolls up to them, and the place where one reads
// stays where it is.
import { follow, nodes } from "./live.js";

const room = document.querySelector(".room");
const scroller = document.getElementById("scroller");
const talk = document.getElementById("talk");
const newest = document.getElementById("newest");
const link = document.getElementById("link");
const NEAR = 80;

const atEnd = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR;
const toEnd = () => {
  scroller.scrollTop = scroller.scrollHeight;
  newest.hidden = true;
};

// What arrived since the last frame is put in at once: a page of a busy room draws once a frame, not once a message.
let arrived = [];
function draw() {
  const stay = !atEnd();
  const all = document.createDocumentFragment();
  for (const html of arrived) all.append(nodes(html));
  arrived = [];
  talk.querySelector(".empty")?.remove();
  talk.append(all);
  if (stay) newest.hidden = false;
  else toEnd();
}

function arrive(html) {
  if (arrived.push(html) === 1) {
    if (document.hidden) setTimeout(draw, 100);
    else requestAnimationFrame(draw);
  }
}

function beside(html) {
  const aside = document.getElementById("aside");
  if (aside.contains(document.activeElement)) return;
  aside.replaceChildren(nodes(html));
}

const close = follow(
  `${room.dataset.live}?since=${room.dataset.since}`,
  {
    item: arrive,
    aside: beside,
    over: () => {
      close();
      location.reload();
    },
  },
  (state) => {
    link.textContent = state === "live" ? "Live" : "The gateway does not answer. Trying again …";
    room.dataset.state = state;
  },
);

newest.addEventListener("click", toEnd);
scroller.addEventListener("scroll", () => {
  if (atEnd()) newest.hidden = true;
});
toEnd();

// Earlier events come when the link to them is in sight, and push nothing away.
const watch = new IntersectionObserver(
  (seen) => {
    for (const entry of seen) if (entry.isIntersecting) earlier(entry.target);
  },
  { root: scroller, rootMargin: "400px 0px 0px 0px" },
);

async function earlier(line) {
  watch.unobserve(line);
  const answer = await fetch(line.querySelector("a").href).catch(() => null);
  if (!answer?.ok) {
    setTimeout(() => watch.observe(line), 2000);
    return;
  }
  const piece = nodes(await answer.text());
  const next = piece.querySelector(".earlier");
  const height = scroller.scrollHeight;
  line.replaceWith(piece);
  scroller.scrollTop += scroller.scrollHeight - height;
  if (next) watch.observe(next);
}
const first = talk.querySelector(".earlier");
if (first) watch.observe(first);

// Saying something does not load the page again.
const say = document.getElementById("say");
if (say) {
  const words = say.querySelector("textarea");
  say.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = say.querySelector("button");
    button.disabled = true;
    try {
      const answer = await fetch(say.action, {
        method: "POST",
        headers: { Accept: "text/plain" },
        body: new URLSearchParams(new FormData(say)),
      });
      if (answer.ok) {
        words.value = "";
        toEnd();
      }
      link.textContent = answer.ok ? "Said" : await answer.text();
    } catch {
      link.textContent = "The gateway does not answer; nothing was said.";
    } finally {
      button.disabled = false;
      words.focus();
    }
  });
  words.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) say.requestSubmit();
  });
}
