// The HTTP transport: event streams with both cursors, and calls.
import assert from "node:assert/strict";
import http from "node:http";
import superjson from "superjson";
import { Conversation } from "./world.mjs";

/** listen opens an event stream and yields its events, parsed. */
async function* listen(room, { query = "", headers = {} } = {}) {
  const abort = new AbortController();
  try {
    const answer = await fetch(room.below + query, { headers, signal: abort.signal });
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("content-type"), /^text\/event-stream/);
    let rest = "";
    for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
      const events = (rest + piece).split("\n\n");
      rest = events.pop();
      for (const event of events) {
        const fields = event.split("\n").filter((line) => line !== "" && !line.startsWith(":"));
        if (fields.length > 0) yield parsed(fields);
      }
    }
  } finally {
    abort.abort();
  }
}

function parsed(fields) {
  const event = {};
  for (const line of fields) {
    const [name, ...value] = line.split(": ");
    assert.ok(["id", "data"].includes(name) && !(name in event), line);
    event[name] = value.join(": ");
  }
  return { id: event.id, frame: superjson.parse(event.data) };
}

/** take reads a stream until a frame for which a condition holds. */
async function take(stream, last) {
  const events = [];
  for (;;) {
    const { value, done } = await stream.next();
    assert.ok(!done, "the stream ended");
    events.push(value);
    if (last(value.frame)) return events;
  }
}

const isHello = ({ kind }) => kind === "hello";
const kinds = (events) => events.map(({ frame }) => frame.kind);

export async function aStreamShowsWhatASocketShows(world) {
  const room = await world.conversation();
  await room.say("one");
  const raw = await room.attached();
  for (const options of [
    { query: `?token=${world.bob.key}` },
    { headers: { Authorization: `Bearer ${world.bob.key}` } },
  ]) {
    const stream = listen(room, options);
    const events = await take(stream, isHello);
    // Who is connected may show in the state.
    assert.deepEqual(events.map(({ frame }) => frame), raw.frames);
    const version = raw.frames.filter(({ kind }) => kind === "event").length;
    assert.deepEqual(events.map(({ id }) => id).filter(Boolean), [
      "m1.e0", ...Array.from({ length: version }, (_, i) => `m1.e${i + 1}`),
    ]);
    await stream.return();
  }
  await raw.close();
}

export async function aStreamGoesOnLiveAndResumes(world) {
  const room = await world.conversation();
  await room.say("one");
  const headers = { Authorization: `Bearer ${world.bob.key}` };
  const stream = listen(room, { headers });
  await take(stream, isHello);
  await room.say("two");
  const live = await take(stream, ({ kind }) => kind === "event");
  assert.deepEqual(kinds(live).sort(), ["event", "messages", "state"]);
  const last = live.findLast(({ id }) => id).id;
  assert.match(last, /^m2\.e\d+$/);
  await stream.return();

  await room.say("three");
  await room.rpc("emitEvent", ["tick", new Date(5)]);
  const again = listen(room, { headers: { ...headers, "Last-Event-ID": last } });
  const resumed = await take(again, isHello);
  assert.deepEqual(kinds(resumed), ["attached", "state", "messages", "event", "event", "hello"]);
  assert.deepEqual(resumed[2].frame.appended.map(({ content }) => content), ["three"]);
  assert.deepEqual(resumed[4].frame.payload, new Date(5));
  const seen = Number(last.split(".e")[1]);
  assert.deepEqual([resumed[3].frame.seq, resumed[4].frame.seq], [seen + 1, seen + 2]);
  await again.return();
  const fresh = listen(room, { headers: { ...headers, "Last-Event-ID": "nonsense" } });
  assert.equal((await take(fresh, isHello))[2].frame.snapshot.length, 3, "what is no cursor is ignored");
  await fresh.return();
}

export async function aStreamCarriesWhatWasAskedFor(world) {
  const room = await world.conversation();
  const query = "?subscribe=state,nonsense";
  const native = await fetch(room.native + query);
  assert.match(native.headers.get("content-type"), /^text\/event-stream/);
  await native.body.cancel();
  const stream = listen(room, { query });
  const events = await take(stream, isHello);
  assert.deepEqual(kinds(events), ["attached", "state", "hello"]);
  assert.deepEqual(events[0].frame, { v: 2, kind: "attached", grants: ["read"], accepted: ["state"] });
  await room.rpc("setRoomState", [{ patch: { at: new Map([["k", 1n]]), none: undefined } }]);
  const [{ frame }] = await take(stream, ({ kind }) => kind === "state");
  assert.deepEqual(frame.patch, { at: new Map([["k", 1n]]), none: undefined });
  await stream.return();
}

export async function refusedStreamsAreErrorFrames(world) {
  const room = await world.conversation();
  const secret = new Conversation(world, world.secret);
  for (const [where, query] of [[room, "?token=nonsense"], [secret, ""], [secret, `?token=${world.eve.key}`]]) {
    const answer = await fetch(where.below + query);
    assert.equal(answer.status, 401);
    assert.match(answer.headers.get("content-type"), /^application\/json/);
    const { kind, id, code } = superjson.parse(await answer.text());
    assert.deepEqual({ kind, id, code }, { kind: "error", id: undefined, code: "unauthorized" });
  }
}

export async function callsOverHTTP(world) {
  const room = await world.conversation();
  const bearer = ({ key }) => ({ Authorization: `Bearer ${key}` });
  for (const [method, body, headers, status, code] of [
    ["postMessage", '["plain"]', bearer(world.bob), 200],
    ["post_message", '{"json":["rich",null],"meta":{"values":{"1":["undefined"]},"v":1}}', bearer(world.bob), 200],
    ["listParticipants", undefined, bearer(world.bob), 200],
    ["shout", "[]", bearer(world.bob), 404, "method_not_found"],
    ["_private", "[]", bearer(world.bob), 403, "method_private"],
    ["postMessage", "[7]", bearer(world.bob), 500, "method_error"],
    ["postMessage", '["x"]', bearer(world.eve), 403, "unauthorized"],
    ["postMessage", '["x"]', {}, 403, "unauthorized"],
    ["postMessage", '["x"]', bearer({ key: "nonsense" }), 401, "unauthorized"],
    ["postMessage", '{"body":"x"}', bearer(world.bob), 400, "protocol_error"],
    ["postMessage", "no JSON", bearer(world.bob), 400, "protocol_error"],
  ]) {
    const frame = await room.post(method, body, headers);
    assert.deepEqual([frame.status, frame.kind, frame.code], [status, code ? "error" : "result", code], `${method} ${body}`);
    const concernsCall = status !== 401 && code !== "protocol_error";
    assert.equal(typeof frame.id, concernsCall ? "string" : "undefined", `${method} ${body}`);
  }
  const query = await room.post("postMessage", '["by query"]', {}, `?token=${world.bob.key}`);
  assert.equal(query.status, 200);
  const client = await room.greeted();
  assert.deepEqual(client.messages.map(({ content }) => content), ["plain", "rich", "by query"]);
  room.end();
}

export async function otherMethodsAreRefused(world) {
  const room = await world.conversation();
  for (const [method, path, headers, status] of [
    ["PUT", "", {}, 405],
    ["DELETE", "/rpc/postMessage", {}, 405],
    ["POST", "", {}, 405],
    ["POST", "", { Connection: "Upgrade", Upgrade: "websocket" }, 400],
    ["POST", "/rpc/postMessage", { Connection: "Upgrade", Upgrade: "websocket" }, 400],
  ]) {
    const got = await new Promise((resolve, reject) => {
      const request = http.request(room.below + path, { method, headers, agent: false });
      request.on("response", (answer) => resolve(answer.resume().statusCode)).on("error", reject).end();
    });
    assert.equal(got, status, `${method} ${path} ${JSON.stringify(headers)}`);
  }
}
