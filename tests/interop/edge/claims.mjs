// Claims: what a token opens, and what is refused without one.
import assert from "node:assert/strict";
import { RawSocket } from "./rawsocket.mjs";

export async function claimsFollowFromTheToken(world) {
  const room = await world.conversation();
  for (const [options, claims] of [
    [{ token: world.bob.key }, ["read", "rpc"]],
    [{ token: world.alice.key }, ["read", "rpc"]],
    [{ token: world.eve.key }, ["read"]],
    [{ subscribe: ["state"] }, ["read"]],
    [{ resume: true }, ["read"]],
    [{}, []],
  ]) {
    const client = room.client(options);
    assert.deepEqual(client.claims, []);
    await client.until(({ ready }) => ready);
    assert.deepEqual(client.claims, claims);
  }
  room.end();
}

export async function aCallWithoutRPCIsRefusedAlone(world) {
  const room = await world.conversation();
  const client = await room.greeted({ token: world.eve.key });
  for (const method of ["postMessage", "noSuchMethod", "constructor"]) {
    await assert.rejects(client.call(method, ["x"]), { code: "unauthorized" }, method);
    assert.equal(client.frames.at(-1).v, 2);
  }
  await room.say("seen by readers");
  await client.until(({ messages }) => messages.length === 1);
  assert.equal(client.attempts, 1);
  room.end();
}

export async function aWrongTokenIsTriedAgainForEver(world) {
  const room = await world.conversation();
  const client = room.client({ token: "nonsense", backoffMax: 20 });
  const waiting = client.stub.postMessage("never");
  await assert.rejects(waiting, { message: "the link dropped" });
  await client.until(({ attempts }) => attempts >= 4);
  assert.equal(client.failure.code, "unauthorized");
  assert.equal(client.failure.id, undefined);
  assert.equal(client.links, 0);
  room.end();
  const raw = await room.raw();
  raw.frame({ v: 2, kind: "attach", token: "nonsense" });
  assert.equal((await raw.closed).code, 1008);
  assert.deepEqual(raw.kinds, ["error"]);
}

export async function aPrivateRoomIsForMembers(world) {
  for (const [token, admitted] of [[world.bob.key, true], [world.eve.key, false], [undefined, false]]) {
    const raw = await RawSocket.open(world.ws + world.secret);
    raw.frame({ v: 2, kind: "attach", token });
    const first = await raw.until(() => true);
    assert.equal(first.kind, admitted ? "attached" : "error");
    if (admitted) await raw.close();
    else assert.equal((await raw.closed).code, 1008);
  }
  const nowhere = await RawSocket.open(`${world.ws}/agents/nobody/nothing`);
  nowhere.frame({ v: 2, kind: "attach", token: world.bob.key });
  assert.equal((await nowhere.closed).code, 1008, "what is not there looks like what is private");
}

export async function aDropTakesClaimsAndCalls(world) {
  const room = await world.conversation();
  const client = await room.greeted();
  const called = client.stub.readContext();
  client.socket.terminate();
  await assert.rejects(called, { message: "the link dropped" });
  assert.deepEqual(client.claims, []);
  await client.until(({ links }) => links === 2);
  assert.deepEqual(client.claims, ["read", "rpc"]);
  client.close();
  const attempts = client.attempts;
  await client.until(({ closes }) => closes.length === 2);
  assert.deepEqual(client.closes.at(-1), { code: 1000, reason: "client closed" });
  assert.equal(client.attempts, attempts);
  room.end();
}
