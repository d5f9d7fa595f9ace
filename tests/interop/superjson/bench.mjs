import { codec } from "./codec.mjs";

// What is measured on both sides. The Go side reads the values from their texts.
const makers = {
  frame: () => ({
    v: 1, kind: "event", seq: 41, at: new Date(1767323045678),
    event: { type: "message", text: "hello there", from: "agent-1" },
  }),
  // What a client sends.
  ping: () => ({ v: 1, kind: "ping" }),
  call: () => ({
    v: 1, kind: "call", id: "c-17", method: "send_message",
    args: [{ content: "hello there, how are you all this morning?", reply_to: 40, mentions: ["agent-2"] }],
  }),
  attach: () => ({
    v: 2, kind: "attach", token: "ays_0123456789abcdef0123456789abcdef",
    subscribe: ["state", "messages", "events"], cursors: { events: 41, messages: 1700 },
  }),
  // A room document with 10,000 Dates and 10,000 Maps, 1 MB of text.
  state: () => ({
    topic: "the plan",
    items: Array.from({ length: 10000 }, (_, i) => ({ at: new Date(1767323045678 + i * 1000), m: new Map([["n", i]]) })),
  }),
  snapshot: () => ({
    v: 1, kind: "messages", done: true,
    snapshot: Array.from({ length: 10000 }, (_, i) => ({
      id: "m" + i, role: i % 2 ? "user" : "assistant", content: "hello there, how are you? " + i, seq: i,
      at: new Date(1767323045678 + i * 1000),
    })),
  }),
};

const known = new Map();

function find(name) {
  if (!known.has(name)) {
    const value = makers[name]();
    known.set(name, { value, text: codec.stringify(value) });
  }
  return known.get(name);
}

const isText = (x) => typeof x === "string";
const isTexts = (x) => Array.isArray(x) && x.every(isText);
const isObject = (x) => typeof x === "object" && x !== null && !Array.isArray(x);

// parseFrame is a parser of frames over the library: it checks the fields that the Go
// side's checks and returns those of the kind.
function parseFrame(text) {
  const f = codec.parse(text);
  if (!isObject(f) || !Number.isInteger(f.v) || (f.v !== 1 && f.v !== 2) || !isText(f.kind)) throw new Error("no frame");
  switch (f.kind) {
    case "ping":
      return { kind: f.kind };
    case "call":
      if (f.v !== 1 || !isText(f.id) || !isText(f.method)) throw new Error("malformed call");
      if (f.args !== undefined && !Array.isArray(f.args)) throw new Error("malformed call");
      return { kind: f.kind, id: f.id, method: f.method, args: f.args };
    case "attach": {
      if (f.v !== 2 || (f.token !== undefined && !isText(f.token))) throw new Error("malformed attach");
      if (f.subscribe !== undefined && !isTexts(f.subscribe)) throw new Error("malformed attach");
      if (f.cursors !== undefined && !isObject(f.cursors)) throw new Error("malformed attach");
      const cursors = {};
      for (const stream of ["state", "messages", "events"]) {
        const at = f.cursors?.[stream];
        if (Number.isSafeInteger(at) && at >= 0) cursors[stream] = at;
      }
      return { kind: f.kind, token: f.token, subscribe: f.subscribe, cursors };
    }
  }
  throw new Error("unknown kind");
}

const steps = {
  encode: ({ value }) => codec.stringify(value),
  decode: ({ text }) => codec.parse(text),
  parse: ({ text }) => parseFrame(text),
};

// What a step made is kept here, so that no engine may leave the work out.
export let made;

// measure returns nanoseconds for one round, or the text when that is asked for. Before the
// first measure of a step it warms up, until the engine has compiled what it runs.
export function measure(name, what, rounds) {
  const known = find(name);
  if (what === "text") return known.text;
  const step = steps[what];
  if (!known[what]) {
    known[what] = true;
    for (const end = performance.now() + 300; performance.now() < end; ) made = step(known);
  }
  const start = process.hrtime.bigint();
  for (let i = 0; i < rounds; i++) made = step(known);
  return Number(process.hrtime.bigint() - start) / rounds;
}
