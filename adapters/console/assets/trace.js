// An agent's stream, live: frames come at the end, the oldest leave when there are too many, and a pause holds them back.
import { follow, nodes, words } from "./live.js";

const trace = document.getElementById("trace");
const pause = document.getElementById("pause");
const link = document.getElementById("link");
const KEEP = Number(trace.dataset.keep);
const NEAR = 80;

let waiting = [];
let paused = false;
let missed = 0;
let state = "";

function tell() {
  if (paused) link.textContent = `Paused: ${waiting.length} more${missed ? `, and ${missed} that were let go` : ""}`;
  else link.textContent = words(state);
}

function draw() {
  if (paused || waiting.length === 0) return;
  const atEnd = trace.scrollHeight - trace.scrollTop - trace.clientHeight < NEAR;
  const all = document.createDocumentFragment();
  for (const html of waiting) all.append(nodes(html));
  waiting = [];
  missed = 0;
  trace.querySelector(".empty")?.remove();
  trace.append(all);
  while (trace.childElementCount > KEEP) trace.firstElementChild.remove();
  if (atEnd) trace.scrollTop = trace.scrollHeight;
}

function arrive(html) {
  waiting.push(html);
  if (waiting.length > KEEP) {
    waiting.shift();
    missed++;
  }
  if (paused) tell();
  else if (waiting.length === 1) {
    if (document.hidden) setTimeout(draw, 100);
    else requestAnimationFrame(draw);
  }
}

pause.hidden = false;
pause.addEventListener("click", () => {
  paused = !paused;
  pause.setAttribute("aria-pressed", String(paused));
  tell();
  draw();
});

const close = follow(
  trace.dataset.live,
  {
    frame: arrive,
    over: () => {
      close();
      location.reload();
    },
  },
  (now) => {
    state = now;
    tell();
  },
);
trace.scrollTop = trace.scrollHeight;
