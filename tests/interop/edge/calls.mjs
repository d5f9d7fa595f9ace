// Calls, their errors, pings, and frames that break the protocol.
import assert from "node:assert/strict";

export async function argumentsComeInBothForms(world) {
  const room = await world.conversation();
  const client = await room.greeted();
  for (const [method, args] of [
    ["postMessage", ["text"]],
    ["post_message", ["text"]],
    ["postMessage", [{ body: "text" }]],
    ["postMessage", ["text", undefined]],
    ["postMessage", ["text", null]],
    ["postMessage", [{ body: "text", thread_id: undefined }]],
  ]) {
    assert.equal(typeof (await client.call(method, args)).event_id, "string");
    assert.equal(client.messages.at(-1).content, "text");
  }
  assert.equal(client.messages.length, 6);
  assert.equal((await client.call("listParticipants")).length, 2);
  assert.equal((await client.call("listParticipants", [])).length, 2);
  const detail = await client.stub.getRoomDetail(client.state.id);
  assert.ok(detail.created_at instanceof Date, "results keep their types");
  room.end();
}

export async function refusedCallsHaveCodes(world) {
  const room = await world.conversation();
  const client = await room.greeted();
  for (const [method, args, code] of [
    ["shout", [], "method_not_found"],
    ["PostMessage", ["x"], "method_not_found"],
    ["toString", [], "method_not_found"],
    ...["constructor", "alarm", "fetch", "webSocket", "authorize", "onAttach", "onConnect", "_private"]
      .map((name) => [name, [], "method_private"]),
    ["postMessage", [7], "method_error"],
    ["postMessage", [], "method_error"],
    ["postMessage", ["x", undefined, "y"], "method_error"],
    ["postMessage", [{ body: "x", nonsense: 1 }], "method_error"],
  ]) {
    await assert.rejects(client.call(method, args), { name: "Error", code }, `${method} ${JSON.stringify(args)}`);
  }
  assert.equal(client.attempts, 1);
  assert.deepEqual(client.messages, []);
  room.end();
}

export async function answersRepeatTheID(world) {
  const room = await world.conversation();
  const raw = await room.attached({ subscribe: [] });
  const ids = ["007", "1e3", 'ü"\\\u2028😀', "null", "x".repeat(300), "twice", "twice"];
  for (const id of ids) raw.frame({ v: 1, kind: "call", id, method: "listParticipants" });
  raw.frame({ v: 1, kind: "call", id: "bad", method: "listParticipants", args: { not: "a list" } });
  raw.frame({ v: 1, kind: "call", id: "end", method: "listParticipants" });
  await raw.until(({ id }) => id === "end");
  const answers = raw.frames.filter(({ id }) => id !== undefined);
  assert.deepEqual(answers.map(({ id }) => id), [...ids, "bad", "end"]);
  assert.deepEqual(answers.map(({ kind }) => kind), [...ids.map(() => "result"), "error", "result"]);
  assert.equal(answers.at(-2).code, "protocol_error");
  assert.equal(raw.end, undefined, "the link stands");
  await raw.close();
}

export async function whatACallCausesComesBeforeItsAnswer(world) {
  const room = await world.conversation();
  const raw = await room.attached();
  const begin = raw.frames.length;
  raw.frame({ v: 1, kind: "call", id: "post", method: "postMessage", args: ["x"] });
  await raw.until(({ id }) => id === "post");
  assert.deepEqual(raw.kinds.slice(begin).sort(), ["event", "messages", "result", "state"]);
  assert.equal(raw.kinds.at(-1), "result");
  raw.frame({ v: 1, kind: "call", id: "set", method: "setRoomState", args: [{ patch: { x: 1 } }] });
  await raw.until(({ id }) => id === "set");
  assert.deepEqual(raw.kinds.slice(begin + 4).filter((kind) => kind !== "event"), ["state", "result"]);
  await raw.close();
}

export async function pingsDoNotWaitForCalls(world) {
  const room = await world.conversation();
  const raw = await room.attached({ subscribe: ["messages"] });
  const count = 300;
  for (let i = 0; i < count; i++) raw.frame({ v: 1, kind: "call", id: `${i}`, method: "postMessage", args: [`${i}`] });
  for (let i = 0; i < 3; i++) raw.frame({ v: 1, kind: "ping" });
  await raw.until(({ id }) => id === `${count - 1}`);
  const pongs = raw.kinds.filter((kind) => kind === "pong");
  assert.equal(pongs.length, 3, "each ping is answered, before the last call is");
  const results = raw.frames.filter(({ kind }) => kind === "result").map(({ id }) => Number(id));
  assert.deepEqual(results, Array.from({ length: count }, (_, i) => i), "calls run in order");
  const said = raw.frames.flatMap(({ appended }) => appended ?? []).map(({ content }) => Number(content));
  assert.deepEqual(said, results);
  await raw.close();
}

export async function heartbeatsKeepALink(world) {
  const room = await world.conversation();
  const client = await room.greeted({ token: world.bob.key, pingIntervalMs: 20 });
  await client.until(({ frames }) => frames.filter(({ kind }) => kind === "pong").length >= 5);
  assert.equal(client.attempts, 1);
  room.end();
}

export async function brokenFramesEndTheConnection(world) {
  const room = await world.conversation();
  const broken = { code: 1002, error: "protocol_error" };
  const wrongVersion = { code: 1002, error: "version_mismatch" };
  for (const [message, want] of [
    ["no JSON", broken],
    ['{"v":1,"kind":"ping"}', broken],
    ['{"json":"ping"}', broken],
    ['{"json":{"v":1,"kind":"dance"}}', broken],
    ['{"json":{"v":1,"kind":"hello"}}', broken],
    ['{"json":{"v":1,"kind":"call","method":"listParticipants"}}', broken],
    ['{"json":{"v":3,"kind":"ping"}}', wrongVersion],
    [Buffer.from('{"json":{"v":1,"kind":"ping"}}'), { code: 1003 }],
    ["x".repeat((1 << 20) + 1), { code: 1009 }],
  ]) {
    const early = await room.raw();
    const late = await room.attached({ subscribe: [] });
    for (const raw of [early, late]) {
      raw.text(message);
      const what = `${message}`.slice(0, 80);
      assert.equal((await raw.closed).code, want.code, what);
      const last = raw.frames.at(-1);
      if (want.error) assert.deepEqual([last.kind, last.id, last.code], ["error", undefined, want.error], what);
      else assert.notEqual(last?.kind, "error", what);
    }
  }
}
