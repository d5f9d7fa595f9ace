import { codec } from "./codec.mjs";

// What is measured on both sides. The Go side reads the values from their texts.
const makers = {
  frame: () => ({
    v: 1, kind: "event", seq: 41, at: new Date(1767323045678),
    event: { type: "message", text: "hello there", from: "agent-1" },
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

// measure returns nanoseconds for one round, or the text when that is asked for.
export function measure(name, what, rounds) {
  const { value, text } = find(name);
  if (what === "text") return text;
  const start = process.hrtime.bigint();
  for (let i = 0; i < rounds; i++) {
    if (what === "encode") codec.stringify(value);
    else codec.parse(text);
  }
  return Number(process.hrtime.bigint() - start) / rounds;
}
