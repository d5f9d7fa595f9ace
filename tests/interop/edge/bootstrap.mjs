// Connecting: the order of the first frames in plain and in attach mode.
import assert from "node:assert/strict";
import WebSocket from "ws";
import { Conversation } from "./world.mjs";
import { RawSocket } from "./rawsocket.mjs";

const subscriptions = ["state", "messages", "events"];

export async function aSilentClientIsServedPlainlyAfterTheGrace(world) {
  const room = await world.conversation();
  await room.say("before");
  const raw = await room.raw();
  await raw.until(({ kind }) => kind === "hello");
  assert.deepEqual(raw.kinds, ["state", "messages", "hello"]);
  assert.equal(raw.frames[1].snapshot[0].content, "before");
  await room.rpc("emitEvent", ["progress", 1]);
  await room.say("after");
  await raw.until(({ patch }) => patch?.turn === 2);
  assert.deepEqual(raw.kinds, ["state", "messages", "hello", "messages", "state"]);
  assert.equal(raw.frames[3].appended[0].content, "after");
  assert.ok(raw.frames.every(({ v }) => v === 1));
  await raw.close();
}

export async function anyOtherFirstFrameMakesAPlainClient(world) {
  const room = await world.conversation();
  const raw = await room.raw();
  raw.frame({ v: 1, kind: "ping" });
  await raw.until(({ kind }) => kind === "pong");
  assert.deepEqual(raw.kinds, ["state", "messages", "hello", "pong"]);
  assert.deepEqual(raw.frames[1].snapshot, []);
  await raw.close();
}

export async function aPlainClientHoldsItsCallsBack(world) {
  const room = await world.conversation();
  const client = room.client();
  const call = client.stub.postMessage("from nobody");
  assert.deepEqual(client.sent, []);
  await assert.rejects(call, { code: "unauthorized" });
  assert.deepEqual(client.frames.map(({ kind }) => kind), ["state", "messages", "hello", "error"]);
  assert.deepEqual(client.claims, []);
  client.send({ v: 1, kind: "ping" });
  await client.until(({ frames }) => frames.at(-1).kind === "pong");
  assert.equal(client.attempts, 1);
  room.end();
}

export async function aPrivateRoomIsClosedToPlainClients(world) {
  const raw = await RawSocket.open(world.ws + world.secret);
  raw.frame({ v: 1, kind: "ping" });
  assert.equal((await raw.closed).code, 1008);
  assert.equal(raw.frames.length, 1);
  const [{ v, kind, id, code }] = raw.frames;
  assert.deepEqual({ v, kind, id, code }, { v: 2, kind: "error", id: undefined, code: "unauthorized" });
}

export async function attachBeginsInOrder(world) {
  const room = await world.conversation();
  for (const text of ["one", "two", "three"]) await room.say(text);
  await room.rpc("emitEvent", ["progress", { pct: 50 }]);
  const raw = await room.attached({ subscribe: subscriptions });
  const [attached, state, messages, ...rest] = raw.frames;
  assert.deepEqual(attached, { v: 2, kind: "attached", grants: ["read", "rpc"], accepted: subscriptions });
  assert.equal(state.snapshot.turn, 3);
  assert.ok(state.snapshot.created_at instanceof Date);
  assert.deepEqual(messages.snapshot.map(({ seq, content }) => [seq, content]), [[1, "one"], [2, "two"], [3, "three"]]);
  assert.deepEqual(rest.pop(), { v: 1, kind: "hello" });
  assert.ok(rest.length > 4);
  assert.deepEqual(rest.map(({ v, kind, seq }) => [v, kind, seq]), rest.map((_, i) => [2, "event", i + 1]));
  assert.deepEqual([rest.at(-1).type, rest.at(-1).payload], ["progress", { pct: 50 }]);
  await raw.close();
}

export async function onlyAcceptedStreamsHaveFrames(world) {
  const room = await world.conversation();
  for (const [subscribe, accepted] of [
    [undefined, subscriptions],
    [["state"], ["state"]],
    [["events", "messages"], ["events", "messages"]],
    [["state", "nonsense"], ["state"]],
    [["nonsense"], []],
    [[], []],
  ]) {
    const raw = await room.attached({ subscribe });
    assert.deepEqual([...raw.frames[0].accepted].sort(), [...accepted].sort(), `${subscribe}`);
    await room.say("something");
    raw.frame({ v: 1, kind: "call", id: "last", method: "emitEvent", args: ["tick"] });
    await raw.until(({ id }) => id === "last");
    const streams = { state: "state", messages: "messages", event: "events" };
    const seen = new Set(raw.kinds.filter((kind) => kind in streams).map((kind) => streams[kind]));
    assert.deepEqual([...seen].sort(), [...accepted].sort(), `${subscribe}`);
    await raw.close();
  }
}

export async function undefinedMeansAbsent(world) {
  const room = await world.conversation();
  const raw = await room.raw();
  raw.text(
    '{"json":{"v":2,"kind":"attach","token":null,"subscribe":["state"],"cursors":null},' +
      '"meta":{"values":{"token":["undefined"],"cursors":["undefined"]},"v":1}}',
  );
  await raw.until(({ kind }) => kind === "hello");
  assert.deepEqual(raw.frames[0], { v: 2, kind: "attached", grants: ["read"], accepted: ["state"] });
  assert.deepEqual(raw.kinds, ["attached", "state", "hello"]);
  await raw.close();
}

export async function aSecondAttachEndsTheConnection(world) {
  const room = await world.conversation();
  const twice = await room.attached();
  const late = await room.raw();
  late.frame({ v: 1, kind: "ping" });
  await late.until(({ kind }) => kind === "pong");
  for (const raw of [twice, late]) {
    raw.frame({ v: 2, kind: "attach", token: world.bob.key });
    assert.equal((await raw.closed).code, 1002);
    const { v, kind, id, code } = raw.frames.at(-1);
    assert.deepEqual({ v, kind, id, code }, { v: 1, kind: "error", id: undefined, code: "protocol_error" });
  }
}

export async function framesBehindAttachWaitForHello(world) {
  const room = await world.conversation();
  const raw = await room.raw();
  raw.frame({ v: 2, kind: "attach", token: world.bob.key, subscribe: ["state", "messages"] });
  for (const id of ["1", "2", "3"]) raw.frame({ v: 1, kind: "call", id, method: "postMessage", args: [id] });
  raw.frame({ v: 1, kind: "ping" });
  await raw.until(({ id }) => id === "3");
  assert.deepEqual(raw.kinds.slice(0, 4), ["attached", "state", "messages", "hello"]);
  await raw.until(({ kind }) => kind === "pong");
  const results = raw.frames.filter(({ kind }) => kind === "result");
  assert.deepEqual(results.map(({ id }) => id), ["1", "2", "3"]);
  await raw.close();
}

export async function anAttachingClientHoldsItsCallsBack(world) {
  const room = await world.conversation();
  const client = room.client({ token: world.bob.key });
  const posted = Array.from({ length: 70 }, (_, i) => client.stub.postMessage(`m${i}`));
  await client.until(({ claims }) => claims.length > 0);
  assert.deepEqual(client.claims, ["read", "rpc"]);
  for (const { event_id } of await Promise.all(posted)) assert.equal(typeof event_id, "string");
  assert.equal(client.sent[0].kind, "attach");
  assert.deepEqual(client.messages.map(({ content }) => content), posted.map((_, i) => `m${i}`));
  room.end();
}

export async function aRoomHasSeveralAddresses(world) {
  const odd = "+1555 ü/x?&#%";
  const room = await world.conversation(odd);
  const client = await room.greeted();
  assert.equal(client.state.topic, odd);
  const byID = new Conversation(world, `/agents/${world.alice.id}/${client.state.id}?any=thing`);
  const other = await byID.greeted();
  assert.equal(other.state.id, client.state.id);
  room.end();
  byID.end();
}

export async function nothingIsCompressed(world) {
  const room = await world.conversation();
  const socket = new WebSocket(room.url, { perMessageDeflate: true });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  assert.equal(socket.extensions, "");
  socket.terminate();
}
