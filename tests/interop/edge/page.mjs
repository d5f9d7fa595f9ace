// A page that mirrors a room twice: over the browser's WebSocket and over its EventSource. The test calls what is put on
// window here.
import superjson from "superjson";
import { AgentClient } from "./client.mjs";
import { applyMergePatch } from "./mergepatch.mjs";

/** SourceMirror mirrors a room over an EventSource, which resumes by itself. */
class SourceMirror {
  messages = [];
  events = [];
  faults = [];
  greeted = 0;

  constructor(url) {
    this.source = new EventSource(url);
    this.source.onmessage = ({ data }) => this.#receive(superjson.parse(data));
  }

  #receive({ kind, snapshot, patch, appended, seq, type }) {
    switch (kind) {
      case "state":
        this.state = snapshot ?? applyMergePatch(this.state, patch);
        break;
      case "messages":
        if (snapshot && this.greeted > 0) this.faults.push("a second copy of the log");
        this.messages.push(...(snapshot ?? appended));
        break;
      case "event":
        this.events.push({ seq, type });
        break;
      case "hello":
        this.greeted++;
    }
  }
}

// plain is a text that is the same for equal values, in whatever order their keys came.
function plain(value) {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, plain(value[key])]));
}
const same = (a, b) => superjson.stringify(plain(a)) === superjson.stringify(plain(b));

let socket, source;

/** begin connects both mirrors. */
window.begin = ({ ws, sse, token }) => {
  const events = [];
  socket = new AgentClient(ws, { token, resume: true });
  socket.onEvents(({ seq, type }) => events.push({ seq, type }));
  socket.events = events;
  source = new SourceMirror(sse);
};

/** caughtUp tells whether both mirrors have all up to a turn and an event of some type, and show the same. */
window.caughtUp = (turn, type) => {
  const has = ({ state, messages, events }) =>
    state?.turn === turn && messages?.length === turn && events.at(-1)?.type === type;
  return has(socket) && has(source) && same(socket.state, source.state);
};

/** report shows what the mirrors hold, and of the state what stands under some keys. */
window.report = (keys) => {
  const of = ({ state, messages, events, faults }) => ({
    state: superjson.stringify(Object.fromEntries(keys.filter((key) => key in state).map((key) => [key, state[key]]))),
    messages: messages.map(({ content }) => content),
    events: events.map(({ seq }) => seq),
    faults,
  });
  return { socket: of(socket), source: of(source), links: socket.links, streams: source.greeted };
};

/** call makes a call over HTTP and returns its value. */
window.call = async ({ rpc, token }, method, args) => {
  const answer = await fetch(`${rpc}/${method}`, {
    method: "POST", body: superjson.stringify(args), headers: { Authorization: `Bearer ${token}` },
  });
  const { kind, value, code } = superjson.parse(await answer.text());
  return kind === "result" ? value : code;
};

/** knock tells how each transport of a gateway answers this page. */
window.knock = async ({ ws, sse, rpc }) => {
  const bySocket = new Promise((resolve) => {
    const knocking = new WebSocket(ws);
    knocking.onopen = () => resolve("open");
    knocking.onclose = ({ code }) => resolve(`closed with ${code}`);
  });
  const bySource = new Promise((resolve) => {
    const knocking = new EventSource(sse);
    knocking.onopen = () => resolve("open");
    knocking.onerror = () => resolve(knocking.readyState === EventSource.CLOSED ? "refused" : "again");
  });
  const byCall = fetch(`${rpc}/listParticipants`, { method: "POST" }).then(({ status }) => `${status}`, ({ name }) => name);
  return Promise.all([bySocket, bySource, byCall]);
};
window.loaded = true;
