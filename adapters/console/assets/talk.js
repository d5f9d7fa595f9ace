// A conversation in its scroller: new messages come at the end, earlier ones when one scrolls up to them, and the place where
// one reads stays where it is.
import { nodes } from "./live.js";

// So far from the end counts as at the end, in pixels.
const NEAR = 80;
// A page that follows a busy room lets its oldest entries go, MOST being the most that it has; they come again when one
// scrolls up to them.
const MOST = 2000;
const KEPT = 1000;

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
  function draw() {
    if (!arrived.length) return;
    const stay = !atEnd();
    const all = document.createDocumentFragment();
    for (const html of arrived) all.append(nodes(html));
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

  function arrive(html) {
    if (arrived.push(html) > 1) return;
    if (document.hidden) setTimeout(draw, 100);
    else requestAnimationFrame(draw);
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

  async function fetchEarlier(line) {
    watch.unobserve(line);
    const answer = await fetch(`${earlier}?before=${line.querySelector("a").dataset.before}`).catch(() => null);
    // Who is not signed in any more is sent to another page.
    if (!answer?.ok || answer.redirected) {
      setTimeout(() => line.isConnected && watch.observe(line), 2000);
      return;
    }
    const piece = nodes(await answer.text());
    if (!line.isConnected) return;
    const next = piece.querySelector(".earlier");
    const height = scroller.scrollHeight;
    line.replaceWith(piece);
    scroller.scrollTop += scroller.scrollHeight - height;
    changed();
    if (next) watch.observe(next);
  }

  // end takes everything off the page, for ever.
  function end() {
    arrived = [];
    watch.disconnect();
    talk.replaceChildren();
  }

  newest.addEventListener("click", toEnd);
  scroller.addEventListener("scroll", () => {
    if (atEnd()) newest.hidden = true;
  });
  toEnd();
  const first = talk.querySelector(".earlier");
  if (first) watch.observe(first);
  return { arrive, atEnd, toEnd, end };
}
