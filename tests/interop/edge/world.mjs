// What the scenarios have in common: the gateway, its agents, and conversations of their own.
import superjson from "superjson";
import WebSocket from "ws";
import { AgentClient } from "./client.mjs";
import { RawSocket } from "./rawsocket.mjs";

let count = 0;

/** World is a gateway. alice is the agent of all addresses, bob a member too, and eve is in no room. */
export class World {
  constructor({ url, agents, secret }) {
    Object.assign(this, agents);
    this.http = url;
    this.ws = url.replace(/^http/, "ws");
    /** secret is the path of a private conversation. */
    this.secret = secret;
  }

  /** conversation makes a public room of alice and bob, and returns what is done there. */
  async conversation(name = `talk-${++count}`) {
    const room = new Conversation(this, `/agents/alice/${encodeURIComponent(name)}`);
    await room.rpc("listParticipants");
    return room;
  }
}

/** Conversation is an address. */
export class Conversation {
  #clients = [];

  constructor(world, path) {
    this.world = world;
    this.url = world.ws + path;
    /** below is the same address below the door's prefix, where every request is for it. */
    this.below = `${world.http}/edge${path}`;
    this.native = world.http + path;
  }

  /** client connects; it is closed with the conversation. */
  client(options = {}) {
    const client = new AgentClient(this.url, { WebSocketCtor: WebSocket, ...options });
    this.#clients.push(client);
    return client;
  }

  /** greeted connects with bob's key, unless told otherwise, and waits for hello. */
  async greeted(options = { token: this.world.bob.key }) {
    const client = this.client(options);
    await client.until(({ ready }) => ready);
    return client;
  }

  raw() {
    return RawSocket.open(this.url);
  }

  attached(attach = {}) {
    return RawSocket.attached(this.url, { token: this.world.bob.key, ...attach });
  }

  /** rpc calls over HTTP, as bob unless told otherwise, and returns the value. */
  async rpc(method, args = [], { key } = this.world.bob) {
    const frame = await this.post(method, superjson.stringify(args), { Authorization: `Bearer ${key}` });
    if (frame.kind !== "result") throw new Error(`${method}: ${frame.code}: ${frame.message}`);
    return frame.value;
  }

  /** post sends a body and returns the frame of the answer, with its HTTP status. */
  async post(method, body, headers = {}, query = "") {
    const answer = await fetch(`${this.native}/rpc/${method}${query}`, { method: "POST", body, headers });
    return { ...superjson.parse(await answer.text()), status: answer.status };
  }

  say(text, who) {
    return this.rpc("postMessage", [text], who);
  }

  end() {
    const faults = this.#clients.flatMap((client) => client.faults);
    for (const client of this.#clients) client.close();
    if (faults.length > 0) throw new Error(faults.join("; "));
  }
}
