// Follows one of the gateway's live streams and hands its events on. The browser opens a stream that broke off again by
// itself, with the id of the last event; one that the gateway refused is opened again here, slower each time.
const LONGEST = 15_000;
// A browser opens six connections to a gateway at most, and each stream has one: a page that nobody has seen for so long gives
// its own back, and goes on from where it was when it is seen again.
const UNSEEN = 10_000;

// follow calls the handlers with what comes, and onState with "live", "waiting" or "resting". A page that keepsOn does not rest
// while nobody sees it. What follow returns ends it.
export function follow(url, handlers, onState = () => {}, keepsOn = false) {
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
  const leave = () => {
    clearTimeout(timer);
    source?.close();
  };

  let over = false;
  let resting = false;
  let unseen;
  const rest = () => {
    resting = true;
    leave();
    onState("resting");
  };
  const goOn = () => {
    resting = false;
    // A page that rested before the browser kept it hears of both ends at once.
    leave();
    open();
  };
  const isHidden = () => !keepsOn && document.visibilityState === "hidden";
  document.addEventListener("visibilitychange", () => {
    clearTimeout(unseen);
    if (over) return;
    if (isHidden()) unseen = setTimeout(rest, UNSEEN);
    else if (resting) goOn();
  });
  addEventListener("pagehide", leave);
  // A page that the browser kept goes on where it was left.
  addEventListener("pageshow", (event) => {
    if (event.persisted && !over) goOn();
  });
  if (isHidden()) rest();
  else open();
  return () => {
    over = true;
    clearTimeout(unseen);
    leave();
  };
}

// words says for people how a page follows.
export function words(state) {
  if (state === "resting") return "";
  return state === "live" ? "Live" : "The gateway does not answer. Trying again …";
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
