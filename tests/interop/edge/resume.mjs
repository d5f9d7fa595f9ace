// A client that resumes whenever its link is cut. It prints a line when it is greeted for the first time. When a line comes in, it waits until it has all that a client has whose
// link is never cut, and prints what its listeners heard.
import assert from "node:assert/strict";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import WebSocket from "ws";
import { AgentClient } from "./client.mjs";

const { url, direct, token } = JSON.parse(process.argv[2]);
const options = { WebSocketCtor: WebSocket, token, backoffMin: 2, backoffMax: 20 };
const client = new AgentClient(url, { ...options, resume: true });
const messages = [];
const events = [];
let snapshots = 0;
client.onMessages(({ snapshot, appended }) => {
  if (snapshot) snapshots++;
  for (const { seq, content } of snapshot ?? appended) messages.push({ seq, content });
});
client.onEvents(({ seq, type, payload }) => events.push({ seq, type, text: payload?.text, step: payload?.step }));

client.until(({ ready }) => ready).then(() => console.log("greeted"));
for await (const _ of createInterface({ input: process.stdin })) break;
const fresh = new AgentClient(direct, options);
await fresh.until(({ ready }) => ready);
await client.until(({ ready, cursors }) => ready && cursors.events === fresh.cursors.events, "all events");
await client.until(({ messages }) => messages.length === fresh.messages.length, "all messages");
// Whoever wrote leaves at its own time, and both are told.
const alike = () => isDeepStrictEqual(client.state, fresh.state);
await Promise.any([client.until(alike, "the same state"), fresh.until(alike, "the same state")]);
assert.deepEqual(client.state, fresh.state);
assert.deepEqual(client.messages, fresh.messages);
const { links, attempts, faults, closes } = client;
client.close();
fresh.close();
process.stdin.destroy();
console.log(JSON.stringify({ messages, events, snapshots, links, attempts, faults, closes }));
