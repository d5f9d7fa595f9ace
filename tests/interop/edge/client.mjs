// A client of the agent socket protocol that behaves as AgentClient is documented to. It runs under Node, on a class from
// npm ws, and in a page, on the browser's own. It checks what it gets more strictly than a client would have to: whatever
// breaks the protocol lies in `faults`.
import superjson from "superjson";
import { applyMergePatch } from "./mergepatch.mjs";

/** RemoteError is what a call rejects with that the server refused. */
export class RemoteError extends Error {
  constructor(frame) {
    super(frame.message);
    this.code = frame.code;
  }
}

const V2 = new Set(["attach", "attached", "event"]);

export class AgentClient {
  claims = [];
  accepted = [];
  /** state and messages are the client's copies. */
  state = undefined;
  messages = undefined;
  cursors = {};
  /** frames are all that came on the present link, sent what was sent on it. */
  frames = [];
  sent = [];
  /** links counts the connections that were greeted, attempts those that were tried. */
  links = 0;
  attempts = 0;
  closes = [];
  faults = [];

  #listeners = { state: [], messages: [], events: [], change: [] };
  #pending = new Map();
  #buffered = [];
  #nextID = 0;
  #ready = false;
  #closed = false;
  #lastEvent = 0;
  #failures = 0;

  constructor(url, options = {}) {
    this.url = url;
    this.options = { backoffMin: 20, backoffMax: 200, WebSocketCtor: globalThis.WebSocket, ...options };
    this.attachMode = ["token", "subscribe", "resume"].some((name) => options[name] !== undefined);
    this.stub = new Proxy({}, { get: (_, method) => (...args) => this.call(method, args) });
    this.#connect();
  }

  get ready() {
    return this.#ready;
  }

  /** call sends a call, or keeps it until the server has said hello. */
  call(method, args) {
    return new Promise((resolve, reject) => {
      const id = `c${++this.#nextID}`;
      const frame = args === undefined ? { v: 1, kind: "call", id, method } : { v: 1, kind: "call", id, method, args };
      this.#pending.set(id, { resolve, reject });
      if (this.#ready) this.send(frame);
      else this.#buffered.push(frame);
    });
  }

  send(frame) {
    this.sent.push(frame);
    this.socket.send(superjson.stringify(frame));
  }

  onState(listener) {
    this.#listeners.state.push(listener);
    if (this.state !== undefined) listener(this.state);
  }

  onMessages(listener) {
    this.#listeners.messages.push(listener);
    if (this.messages !== undefined) listener({ snapshot: this.messages });
  }

  onEvents(listener) {
    this.#listeners.events.push(listener);
  }

  /** until resolves when a condition on the client holds, which is asked whenever anything happens. */
  until(holds, what = String(holds)) {
    return new Promise((resolve, reject) => {
      if (holds(this)) return resolve();
      const given = setTimeout(() => reject(new Error(`never: ${what}; closes ${JSON.stringify(this.closes)}`)), 20_000);
      const listener = () => {
        if (!holds(this)) return;
        clearTimeout(given);
        this.#listeners.change = this.#listeners.change.filter((other) => other !== listener);
        resolve();
      };
      this.#listeners.change.push(listener);
    });
  }

  close(code = 1000, reason = "client closed") {
    this.#closed = true;
    this.socket.close(code, reason);
    this.#drop();
  }

  #connect() {
    this.attempts++;
    this.frames = [];
    this.sent = [];
    this.#lastEvent = 0;
    const socket = new this.options.WebSocketCtor(this.url);
    this.socket = socket;
    socket.onopen = () => {
      if (this.attachMode) this.send(this.#attach());
    };
    socket.onmessage = ({ data }) => {
      if (socket === this.socket) this.#receive(data);
    };
    socket.onerror = () => {};
    socket.onclose = ({ code, reason }) => {
      this.closes.push({ code, reason: String(reason) });
      if (socket === this.socket) this.#drop();
      if (!this.#closed) {
        const { backoffMin, backoffMax } = this.options;
        const wait = Math.min(backoffMax, backoffMin * 2 ** this.#failures++);
        setTimeout(() => this.#closed || this.#connect(), wait * (0.5 + Math.random() / 2));
      }
      this.#changed();
    };
  }

  #attach() {
    const { token, subscribe, resume } = this.options;
    const cursors = resume && Object.keys(this.cursors).length > 0 ? { ...this.cursors } : undefined;
    // Without a value these go out as undefined, which is legal and means that they are absent.
    return { v: 2, kind: "attach", token, subscribe, cursors };
  }

  #drop() {
    this.#ready = false;
    this.claims = [];
    clearInterval(this.pinging);
    for (const { reject } of this.#pending.values()) reject(new Error("the link dropped"));
    this.#pending.clear();
    this.#buffered = [];
    this.#changed();
  }

  #changed() {
    for (const listener of [...this.#listeners.change]) listener();
  }

  #receive(text) {
    if (typeof text !== "string") return this.#fault("a binary message");
    const frame = superjson.parse(text);
    if (frame === undefined) return this.#fault(`no frame: ${text}`);
    this.frames.push(frame);
    const late = frame.kind === "error" && (frame.code === "unauthorized" || frame.code === "subscription_denied");
    const v = V2.has(frame.kind) || late ? 2 : 1;
    if (frame.v !== v) this.#fault(`${frame.kind} has version ${frame.v}`);
    const handle = this[`_${frame.kind}`];
    if (handle) handle.call(this, frame);
    else this.#fault(`kind ${frame.kind}`);
    this.#changed();
  }

  #fault(text) {
    this.faults.push(text);
  }

  #emit(name, value) {
    for (const listener of this.#listeners[name]) listener(value);
  }

  _attached({ grants, accepted }) {
    if (this.frames.length !== 1 || !this.attachMode) this.#fault("attached out of place");
    this.claims = grants;
    this.accepted = accepted;
  }

  _state({ snapshot, patch }) {
    if ((snapshot === undefined) === (patch === undefined)) this.#fault("a state frame needs one of two");
    if (snapshot === undefined && this.state === undefined) this.#fault("a patch before any snapshot");
    this.state = snapshot === undefined ? applyMergePatch(this.state, patch) : snapshot;
    this.#emit("state", this.state);
  }

  _messages({ snapshot, appended }) {
    if ((snapshot === undefined) === (appended === undefined)) this.#fault("a messages frame needs one of two");
    const items = snapshot ?? appended;
    let last = snapshot ? 0 : (this.messages?.at(-1)?.seq ?? 0);
    for (const { seq, at } of items) {
      if (seq <= last) this.#fault(`message ${seq} after ${last}`);
      if (!(at instanceof Date)) this.#fault(`message ${seq} has no date`);
      last = seq;
    }
    this.messages = snapshot ? [...snapshot] : [...(this.messages ?? []), ...appended];
    this.cursors.messages = last;
    this.#emit("messages", snapshot ? { snapshot } : { appended });
  }

  _event(event) {
    if (!this.attachMode) this.#fault("an event on a plain link");
    if (event.seq <= this.#lastEvent) this.#fault(`event ${event.seq} after ${this.#lastEvent}`);
    if (!(event.at instanceof Date)) this.#fault(`event ${event.seq} has no date`);
    if (!("payload" in event)) this.#fault(`event ${event.seq} has no payload`);
    this.#lastEvent = event.seq;
    this.cursors.events = event.seq;
    const { seq, type, payload, at } = event;
    this.#emit("events", { seq, type, payload, at });
  }

  _hello() {
    if (this.#ready) this.#fault("a second hello");
    this.#ready = true;
    this.links++;
    this.#failures = 0;
    const { pingIntervalMs } = this.options;
    if (pingIntervalMs) this.pinging = setInterval(() => this.send({ v: 1, kind: "ping" }), pingIntervalMs);
    for (const frame of this.#buffered.splice(0)) this.send(frame);
  }

  _result({ id, ...rest }) {
    if (!("value" in rest)) this.#fault(`result ${id} has no value`);
    this.#answered(id)?.resolve(rest.value);
  }

  _error(frame) {
    if (frame.id !== undefined) return this.#answered(frame.id)?.reject(new RemoteError(frame));
    this.failure = frame;
    this.socket.close();
  }

  _pong() {}

  #answered(id) {
    const call = this.#pending.get(id);
    if (!call) this.#fault(`an answer to ${id}, which nobody waits for`);
    this.#pending.delete(id);
    return call;
  }
}
