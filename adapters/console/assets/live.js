// Follows one of the gateway's live streams and hands its events on. The browser opens a stream that broke off again by
// itself, with the id of the last event; one that the gateway refused is opened again here, slower each time.
const LONGEST = 15_000;

export function follow(url, handlers, onState = () => {}) {
  let source;
  let wait = 500;
  let timer;
  let last = "";
  const open = () => {
    const address = new URL(url, location.href);
    if (last) address.searchParams.set("since", last);
    source = new EventSource(address);
    source.onopen = () => {
      wait = 500;
      onState("live");
    };
    for (const [name, handle] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => {
        if (event.lastEventId) last = event.lastEventId;
        handle(event.data, event);
      });
    }
    source.onerror = () => {
      onState("waiting");
      if (source.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, wait * (0.75 + Math.random() / 2));
      wait = Math.min(wait * 2, LONGEST);
    };
  };
  open();
  let over = false;
  const leave = () => {
    clearTimeout(timer);
    source.close();
  };
  addEventListener("pagehide", leave);
  // A page that the browser kept goes on where it was left.
  addEventListener("pageshow", (event) => {
    if (event.persisted && !over) open();
  });
  return () => {
    over = true;
    leave();
  };
}

// whenLeft returns a function that calls another now, or once nobody is in an element any more: what somebody is at stays.
// What waits is replaced by what comes later.
export function whenLeft(element) {
  let waiting;
  element.addEventListener("focusout", (event) => {
    if (element.contains(event.relatedTarget)) return;
    waiting?.();
    waiting = undefined;
  });
  return (act) => {
    if (element.contains(document.activeElement)) waiting = act;
    else act();
  };
}

// nodes makes elements of a piece of page that the gateway rendered. Nothing in it runs: what agents said was escaped there,
// and the page's policy allows no script of its own.
export function nodes(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}
