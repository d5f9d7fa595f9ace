// Puts the parts of a page in place as the gateway sends them. What somebody is at, and what is opened, stays so.
import { follow, nodes, whenLeft, words } from "./live.js";

const page = document.getElementById("live");
const link = document.getElementById("link");

function put(place, html) {
  const opened = [...place.querySelectorAll("details")].map((d) => d.open);
  place.replaceChildren(nodes(html));
  place.querySelectorAll("details").forEach((d, i) => {
    d.open = opened[i] ?? d.open;
  });
}

const handlers = {
  over: () => {
    close();
    location.reload();
  },
};
for (const place of page.querySelectorAll("[data-part]")) {
  const once = whenLeft(place);
  handlers[place.dataset.part] = (html) => once(() => put(place, html));
}
const close = follow(page.dataset.live, handlers, (state) => {
  link.textContent = words(state);
});
