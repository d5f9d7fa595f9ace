// A conversation in its scroller: new messages come at the end, earlier ones when one scrolls up to them, and the place where
// one reads stays where it is.
import { nodes } from "./live.js";

// So far from the end counts as at the end, in pixels.
const NEAR = 80;
// After so many milliseconds a piece is asked for again that did not come.
const RETRY = 2000;
// A page that follows a busy room lets its oldest entries go, MOST being the most that it has; they come again when one
// scrolls up to them.
const MOST = 2000;
const KEPT = 1000;
// Somebody who reads further up is given so many new entries below. What comes then is let go, and fetched when one goes down
// to it.
const AHEAD = 1000;

// conversation makes #talk live. earlier is where pieces come from that begin before a version; changed is called when
// messages have come.
export function conversation(earlier, changed = () => {}) {
  const scroller = document.getElementById("scroller");
  const talk = document.getElementById("talk");
  const newest = document.getElementById("newest");

  const atEnd = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR;
  const toEnd = () => {
    scroller.scrollTop = scroller.scrollHeight;
    newest.hidden = true;
  };

  // What arrived since the last frame is put in at once: a page of a busy room draws once a frame, not once a message.
  let arrived = [];
  // How many came since one left the end, and the version of the newest that was let go, if any was.
  let ahead = 0;
  let held = 0;
  let catching = false;
  let ended = false;

  function draw() {
    if (!arrived.length || catching) return;
    const stay = !atEnd();
    if (held || (stay && ahead + arrived.length > AHEAD)) {
      held = arrived.at(-1).version;
      arrived = [];
      newest.hidden = false;
      if (!stay) catchUp();
      return;
    }
    ahead = stay ? ahead + arrived.length : 0;
    const all = document.createDocumentFragment();
    for (const { html } of arrived) all.append(nodes(html));
    arrived = [];
    talk.querySelector(".empty")?.remove();
    talk.append(all);
    changed();
    if (stay) {
      newest.hidden = false;
      return;
    }
    if (talk.childElementCount > MOST) letGo();
    toEnd();
  }

  function arrive(html, event) {
    if (arrived.push({ html, version: Number(event.lastEventId) }) > 1) return;
    if (document.hidden) setTimeout(draw, 100);
    else requestAnimationFrame(draw);
  }
  // The frame that was waited for does not come while nobody sees the page, and what arrives then would pile up behind it.
  document.addEventListener("visibilitychange", draw);

  // The end of the conversation takes the place of what the page has, which lacks what was let go.
  async function catchUp() {
    catching = true;
    const end = await piece(held + 1);
    catching = false;
    if (ended) return;
    if (!end) {
      if (arrived.length) held = arrived.at(-1).version;
      arrived = [];
      setTimeout(() => held && !catching && atEnd() && catchUp(), RETRY);
      return;
    }
    held = ahead = 0;
    watch.disconnect();
    talk.replaceChildren(end);
    const first = talk.querySelector(".earlier");
    if (first) watch.observe(first);
    changed();
    toEnd();
    draw();
  }

  function letGo() {
    watch.disconnect();
    while (talk.childElementCount > KEPT) talk.firstElementChild.remove();
    const { version } = talk.firstElementChild.dataset;
    const line = document.createElement("p");
    const link = document.createElement("a");
    line.className = "earlier";
    link.href = `${location.pathname}?before=${version}`;
    link.dataset.before = version;
    link.textContent = "Earlier";
    line.append(link);
    talk.prepend(line);
    watch.observe(line);
  }

  // Earlier messages come when the link to them is in sight, and push nothing away.
  const watch = new IntersectionObserver(
    (seen) => {
      for (const entry of seen) if (entry.isIntersecting) fetchEarlier(entry.target);
    },
    { root: scroller, rootMargin: "400px 0px 0px 0px" },
  );

  // piece is what lies before a version, or nothing.
  async function piece(before) {
    const answer = await fetch(`${earlier}?before=${before}`).catch(() => null);
    // Who is not signed in any more is sent to another page.
    return answer?.ok && !answer.redirected ? nodes(await answer.text()) : null;
  }

  async function fetchEarlier(line) {
    watch.unobserve(line);
    const above = await piece(line.querySelector("a").dataset.before);
    if (!above) {
      setTimeout(() => line.isConnected && watch.observe(line), RETRY);
      return;
    }
    if (!line.isConnected) return;
    const next = above.querySelector(".earlier");
    const height = scroller.scrollHeight;
    line.replaceWith(above);
    scroller.scrollTop += scroller.scrollHeight - height;
    changed();
    if (next) watch.observe(next);
  }

  // end takes everything off the page, for ever.
  function end() {
    arrived = [];
    ended = true;
    watch.disconnect();
    talk.replaceChildren();
  }

  newest.addEventListener("click", toEnd);
  scroller.addEventListener("scroll", () => {
    if (!atEnd()) return;
    newest.hidden = true;
    ahead = 0;
    if (held && !catching) catchUp();
  });
  toEnd();
  const first = talk.querySelector(".earlier");
  if (first) watch.observe(first);
  return { arrive, atEnd, toEnd, end };
}
