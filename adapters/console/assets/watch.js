// The page of somebody who watches a room with its code: messages come by themselves, and go when they may be read no more.
import { follow, nodes, words } from "./live.js";
import { conversation } from "./talk.js";

// A link may carry the code behind the #, which browsers send to nobody. It fills the field and leaves the address bar.
const carried = decodeFragment(location.hash);
if (carried) history.replaceState(null, "", location.pathname + location.search);
const ask = document.getElementById("ask");
if (ask && carried) {
  ask.elements.code.value = carried;
  ask.querySelector("button").focus();
}

function decodeFragment(hash) {
  const text = hash.replace(/^#(code=)?/, "");
  try {
    return text === "main" ? "" : decodeURIComponent(text);
  } catch {
    return text;
  }
}

const room = document.querySelector(".watched");
if (room) watch();

// A page that the browser kept has a stream that ended when it was left.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

function watch() {
  const talk = document.getElementById("talk");
  const aside = document.getElementById("aside");
  const standing = document.getElementById("standing");
  const link = document.getElementById("link");
  const { arrive, atEnd, toEnd, end } = conversation(room.dataset.earlier, receipts);

  // Each member's receipt stands below the newest message that it has read.
  function receipts() {
    const readers = new Map();
    for (const { dataset } of aside.querySelectorAll("[data-read]")) {
      readers.set(dataset.read, [...(readers.get(dataset.read) ?? []), dataset.name]);
    }
    for (const old of talk.querySelectorAll(".seen")) old.remove();
    for (const [turn, names] of readers) {
      const message = talk.querySelector(`[data-turn="${CSS.escape(turn)}"]`);
      if (!message) continue;
      const line = document.createElement("p");
      line.className = "seen";
      line.append("Read by ");
      names.forEach((name, i) => {
        const who = document.createElement("bdi");
        who.textContent = name;
        line.append(i ? ", " : "", who);
      });
      message.append(line);
    }
  }

  function over(html) {
    close();
    end();
    room.hidden = true;
    document.getElementById("leave").hidden = true;
    const why = document.getElementById("over");
    why.replaceChildren(nodes(html));
    why.focus();
    document.title = "Stele";
  }

  const close = follow(
    `${room.dataset.live}?since=${room.dataset.since}`,
    {
      // An old part of the conversation stays what it is.
      item: "old" in room.dataset ? () => {} : arrive,
      standing: (html) => {
        const follows = atEnd();
        standing.replaceChildren(nodes(html));
        if (follows) toEnd();
      },
      aside: (html) => {
        aside.replaceChildren(nodes(html));
        receipts();
      },
      anew: () => {
        close();
        location.reload();
      },
      over,
    },
    (state) => {
      link.textContent = words(state);
      room.dataset.state = state;
    },
    // Who has the page open watches, in sight or not.
    true,
  );
}
