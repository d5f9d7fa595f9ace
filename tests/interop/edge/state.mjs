// Shared state: snapshots and merge patches over values with types.
import assert from "node:assert/strict";
import superjson from "superjson";
import { applyMergePatch } from "./mergepatch.mjs";

// ofRoom are the keys under which the room itself is told of.
const ofRoom = new Set([
  "id", "topic", "description", "floor", "state", "turn", "next_actor", "max_turns", "ttl_at", "created_at", "closed_at",
  "close_reason", "purged_at", "archived", "participants", "typing", "roles", "links", "documents", "references",
]);

const shared = (state) => Object.fromEntries(Object.entries(state).filter(([key]) => !ofRoom.has(key)));

/** watched is a room with clients that mirror it, of members and of nobody. */
async function watched(world) {
  const room = await world.conversation();
  const clients = await Promise.all([
    room.greeted(),
    room.greeted({ token: world.alice.key, subscribe: ["state"] }),
    room.greeted({ subscribe: ["state"] }),
  ]);
  let mark = 0;
  return {
    room,
    clients,
    patch: (patch, who = clients[0]) => who.stub.setRoomState({ patch }),
    // settle waits until all mirrors have what was done before, and demands that all of them, a new client and the
    // operation show this.
    async settle(want) {
      await clients[0].stub.setRoomState({ patch: { settled: ++mark } });
      want = { ...want, settled: mark };
      for (const client of clients) {
        await client.until(({ state }) => state.settled === mark);
        assert.deepEqual(shared(client.state), want);
      }
      const late = await room.greeted({ subscribe: ["state"] });
      assert.deepEqual(shared(late.state), want);
      late.close();
      assert.deepEqual(await clients[1].stub.getRoomState(), want);
    },
  };
}

export async function valuesKeepTheirTypes(world) {
  const { room, patch, settle } = await watched(world);
  const rich = {
    date: new Date(1_767_323_045_678),
    old: new Date(-62_198_755_200_000),
    map: new Map([["k", 1n], [new Date(0), new Map([[{ deep: true }, new Set([1, "1"])]])]]),
    set: new Set([new Date(1), "a", null, undefined, NaN]),
    big: -(2n ** 80n),
    numbers: [0, -0, NaN, Infinity, -Infinity, 1e21, 5e-324, 2 ** 53],
    none: undefined,
    list: [undefined, null, [], {}],
    pattern: /a\/[b]+/giu,
    url: new URL("https://example.com/a?b=c#d"),
    error: new Error("not so"),
    bytes: new Uint8Array([0, 127, 255]),
    floats: new Float64Array([1.5, -2, 0]),
    "a.b\\c": { "": new Date(2) },
    text: "\u0000\u2028 \"</script>\" 😀",
  };
  await patch(rich);
  // The library itself makes an Error of another shape.
  await settle(superjson.parse(superjson.stringify(rich)));
  room.end();
}

export async function nullDeletesAndUndefinedDoesNot(world) {
  const { room, clients, patch, settle } = await watched(world);
  await patch({ a: 1, b: 2, n: { x: 1, y: 2, z: { deep: 1 } } });
  await patch({ a: null, b: undefined, n: { x: undefined, y: null, z: { deep: null, other: undefined } } });
  await settle({ b: undefined, n: { x: undefined, z: { other: undefined } } });
  assert.ok(clients.every(({ state }) => "b" in state && !("a" in state)));
  await patch({ b: null, absent: null });
  await settle({ n: { x: undefined, z: { other: undefined } } });
  room.end();
}

export async function onlyPlainObjectsAreMerged(world) {
  const { room, patch, settle } = await watched(world);
  await patch({
    map: new Map([["old", 1]]), set: new Set([1]), list: [1, 2, 3], date: new Date(1), object: { a: 1, b: 2 }, more: { a: 1 },
  });
  await patch({
    map: new Map([["new", null]]), set: new Set([2]), list: [{ kept: null }], date: { now: "an object", gone: null },
    object: new Date(2), more: { b: { c: null, d: { e: null } } }, fresh: { only: { nulls: null } },
  });
  await settle({
    map: new Map([["new", null]]), set: new Set([2]), list: [{ kept: null }], date: { now: "an object" },
    object: new Date(2), more: { a: 1, b: { d: {} } }, fresh: { only: {} },
  });
  room.end();
}

export async function aStateIsReplacedWhole(world) {
  const { room, clients, patch, settle } = await watched(world);
  await patch({ a: 1, plan: { step: 1, of: 3 }, list: [1] });
  await clients[1].stub.replaceRoomState({ state: { plan: { of: 4 }, at: new Date(3), none: undefined } });
  await settle({ plan: { of: 4 }, at: new Date(3), none: undefined });
  await clients[0].stub.replaceRoomState({ state: {} });
  await settle({});
  room.end();
}

export async function theRoomsOwnKeysAreNotForMembers(world) {
  const { room, clients, patch, settle } = await watched(world);
  const before = clients[2].state.participants;
  assert.deepEqual(Object.keys(before).sort(), [world.alice.id, world.bob.id].sort());
  for (const key of ofRoom) await assert.rejects(patch({ [key]: 1 }), { code: "method_error" }, key);
  await assert.rejects(clients[0].stub.setRoomState(5), { code: "method_error" });
  await room.say("a turn");
  await settle({});
  assert.deepEqual([clients[2].state.turn, clients[2].state.participants], [1, before]);
  room.end();
}

export async function allSeeOneOrder(world) {
  const { room, clients, patch } = await watched(world);
  const seen = clients.map((client) => {
    const values = [];
    client.onState(({ n }) => n !== undefined && n !== values.at(-1) && values.push(n));
    return values;
  });
  const writers = clients.slice(0, 2);
  await Promise.all(writers.flatMap((who, w) => Array.from({ length: 40 }, (_, i) => patch({ n: `${w}-${i}` }, who))));
  await patch({ n: "end" });
  for (const client of clients) await client.until(({ state }) => state.n === "end");
  assert.equal(seen[0].length, 81, "one frame for each commit");
  for (const values of seen) assert.deepEqual(values, seen[0]);
  room.end();
}

// A generator with a seed, so that a failure can be had again.
function random(seed) {
  return (n) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * n);
  };
}

function randomValue(pick, depth, inPatch) {
  const leaves = [
    () => pick(100), () => `t${pick(9)}`, () => undefined, () => new Date(pick(1e9)), () => BigInt(pick(1e9)) ** 3n,
    () => (inPatch ? null : 1), () => [pick(3), null], () => new Set([pick(3), new Date(pick(9))]),
    () => new Map([[pick(3), { v: undefined }]]), () => NaN,
  ];
  if (depth === 0 || pick(3) > 0) return leaves[pick(leaves.length)]();
  const object = {};
  for (let i = pick(4); i >= 0; i--) object[`k${pick(6)}`] = randomValue(pick, depth - 1, inPatch);
  return object;
}

export async function mirrorsFollowRandomPatches(world) {
  const { room, clients, patch, settle } = await watched(world);
  const pick = random(20_260_102);
  let model = {};
  for (let i = 0; i < 120; i++) {
    const change = { [`r${pick(4)}`]: randomValue(pick, 3, true), [`k${pick(4)}`]: randomValue(pick, 2, true) };
    await patch(change, clients[i % 2]);
    model = applyMergePatch(model, change);
    if (i % 40 === 39) await settle(model);
    delete model.settled;
  }
  room.end();
}
