// Puts the parts of a page in place as the gateway sends them. What somebody is at, and what is opened, stays so.
import { follow, nodes } from "./live.js";

const page = document.getElementById("live");
const link = document.getElementById("link");

function put(name, html) {
  const place = page.querySelector(`[data-part="${name}"]`);
  if (!place || place.matches(":focus-within")) return;
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
  handlers[place.dataset.part] = (html) => put(place.dataset.part, html);
}
const close = follow(page.dataset.live, handlers, (state) => {
  link.textContent = state === "live" ? "Live" : "The gateway does not answer. Trying again …";
});
