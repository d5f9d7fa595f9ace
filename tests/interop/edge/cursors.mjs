// Streams, cursors and resume, and the items of both logs.
import assert from "node:assert/strict";

const numbers = (items) => items.map(({ seq }) => seq);
const from = (first, last) => Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);

async function roomOfFour(world) {
  const room = await world.conversation();
  for (const text of ["one", "two", "three", "four"]) await room.say(text);
  const raw = await room.attached();
  const last = raw.frames.filter(({ kind }) => kind === "event").at(-1).seq;
  await raw.close();
  return { room, last };
}

export async function cursorsNameWhatWasSeen(world) {
  const { room, last } = await roomOfFour(world);
  const snapshot = ["snapshot", from(1, 4)];
  for (const { cursors, messages, events, subscribe } of [
    { cursors: { messages: 2, events: 3 }, messages: ["appended", [3, 4]], events: from(4, last) },
    { cursors: { messages: 0, events: 0 }, messages: ["appended", from(1, 4)], events: from(1, last) },
    { cursors: { messages: 4, events: last }, messages: undefined, events: [] },
    { cursors: { messages: 3 }, messages: ["appended", [4]], events: from(1, last) },
    { cursors: { events: last - 1 }, messages: snapshot, events: [last] },
    { cursors: { events: 1_000_000 }, messages: snapshot, events: [] },
    { cursors: {}, messages: snapshot, events: from(1, last) },
    { cursors: { messages: -1, events: 1.5, state: 7, nonsense: 3 }, messages: snapshot, events: from(1, last) },
    { cursors: { messages: "2", events: null }, messages: snapshot, events: from(1, last) },
    { cursors: { messages: NaN, events: Infinity }, messages: snapshot, events: from(1, last) },
    { cursors: { messages: 1, events: 1 }, subscribe: ["state"], messages: undefined, events: [] },
  ]) {
    const raw = await room.attached({ cursors, subscribe });
    const text = JSON.stringify(cursors);
    const logs = raw.frames.filter(({ kind }) => kind === "messages");
    if (messages === undefined) assert.deepEqual(logs, [], text);
    else {
      const [form, want] = messages;
      assert.ok(logs[0]?.[form], `${text}: ${form}`);
      assert.deepEqual(numbers(logs.flatMap((frame) => frame.snapshot ?? frame.appended)), want, text);
    }
    assert.deepEqual(numbers(raw.frames.filter(({ kind }) => kind === "event")), events, text);
    assert.equal(raw.frames.filter(({ kind }) => kind === "state")[0].snapshot.turn, 4, text);
    await raw.close();
  }
}

export async function aMessageCursorAheadOfTheLogIsSafe(world) {
  const { room } = await roomOfFour(world);
  const raw = await room.attached({ cursors: { messages: 1000 } });
  const logs = raw.frames.filter(({ kind }) => kind === "messages");
  assert.ok(logs.every(({ snapshot }) => snapshot?.length === 4), "nothing, or all anew");
  await raw.close();
}

export async function resumeLosesAndRepeatsNothing(world) {
  const room = await world.conversation();
  const client = room.client({ token: world.bob.key, resume: true });
  const events = [];
  const updates = [];
  client.onEvents((event) => events.push(event));
  client.onMessages((update) => updates.push(update));
  await client.until(({ ready }) => ready);
  assert.equal(client.sent[0].cursors, undefined, "cursors live in memory only");
  for (let i = 1; i <= 5; i++) {
    const seen = { ...client.cursors };
    client.socket.terminate();
    await room.say(`m${i}`);
    await client.until(({ links }) => links === i + 1);
    await client.until(({ messages }) => messages.length === i);
    assert.deepEqual(client.sent[0].cursors.events, seen.events);
    assert.ok(client.frames.every(({ kind, snapshot }) => kind !== "messages" || snapshot === undefined));
  }
  await client.until(() => events.at(-1)?.payload.text === "m5");
  assert.deepEqual(numbers(events), from(1, events.at(-1).seq));
  assert.deepEqual(numbers(updates.flatMap(({ snapshot, appended }) => snapshot ?? appended)), from(1, 5));
  const late = [];
  client.onMessages((update) => late.push(update));
  client.onEvents(() => late.push("an event"));
  assert.deepEqual(late, [{ snapshot: client.messages }]);
  room.end();
}

export async function withoutResumeAllComesAgain(world) {
  const { room, last } = await roomOfFour(world);
  const client = room.client({ token: world.bob.key });
  const events = [];
  client.onEvents((event) => events.push(event));
  await client.until(({ ready }) => ready);
  client.socket.terminate();
  await client.until(({ links }) => links === 2);
  assert.equal(client.sent[0].cursors, undefined);
  assert.deepEqual(numbers(events), [...from(1, last), ...from(1, last)]);
  assert.deepEqual(numbers(client.messages), from(1, 4));
  room.end();
}

export async function messagesAreItemsOfTheLog(world) {
  const room = await world.conversation();
  const text = 'Ünï "\\ \u2028 😀 <&>\n';
  const before = Date.now();
  await room.say(text, world.alice);
  await room.say(text, world.bob);
  const live = await room.greeted();
  await room.say("three");
  await live.until(({ messages }) => messages.length === 3);
  const late = await room.greeted({});
  assert.deepEqual(late.messages, live.messages);
  assert.deepEqual(live.messages.map(({ seq, role, name, content }) => ({ seq, role, name, content })), [
    { seq: 1, role: "assistant", name: "alice", content: text },
    { seq: 2, role: "user", name: "bob", content: text },
    { seq: 3, role: "user", name: "bob", content: "three" },
  ]);
  const allowed = ["seq", "role", "content", "name", "toolCalls", "toolCallId", "at"];
  for (const item of live.messages) {
    for (const key of Object.keys(item)) assert.ok(allowed.includes(key), key);
    assert.ok(Math.abs(item.at - before) < 60_000);
  }
  room.end();
}

export async function eventsKeepTheirPayloads(world) {
  const room = await world.conversation();
  const client = await room.greeted();
  const live = [];
  client.onEvents((event) => live.push(event));
  const payloads = [
    { pct: 50, at: new Date(1_767_323_045_678), big: 2n ** 70n, tags: new Set(["a", 1]), by: new Map([[1, new Map()]]) },
    [undefined, null, NaN, -0, -Infinity],
    "text",
    0,
    null,
  ];
  for (const payload of payloads) await client.stub.emitEvent({ type: "app:step", payload });
  await client.stub.emitEvent("app:none");
  await client.until(() => live.at(-1)?.type === "app:none");
  assert.deepEqual(live.slice(0, -1).map(({ payload }) => payload), payloads);
  assert.ok(live.at(-1).payload == null);
  const replayed = (await room.attached()).frames.filter(({ type }) => type?.startsWith("app:"));
  assert.deepEqual(replayed.map(({ seq, type, payload, at }) => ({ seq, type, payload, at })), live);
  room.end();
}
