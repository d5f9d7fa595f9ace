// A socket that sends and shows the texts on the wire, for what no client should do.
import superjson from "superjson";
import WebSocket from "ws";

export class RawSocket {
  frames = [];
  #changed = () => {};

  constructor(url) {
    this.socket = new WebSocket(url);
    this.opened = new Promise((resolve) => this.socket.once("open", resolve));
    this.socket.on("error", () => {});
    this.socket.on("message", (data, binary) => {
      this.frames.push(binary ? data : superjson.parse(data.toString()));
      this.#changed();
    });
    this.closed = new Promise((resolve) => {
      this.socket.once("close", (code, reason) => {
        this.end = { code, reason: reason.toString() };
        resolve(this.end);
        this.#changed();
      });
    });
  }

  /** open returns a socket on which nothing was sent yet. */
  static async open(url) {
    const raw = new RawSocket(url);
    await raw.opened;
    return raw;
  }

  /** attached returns one that has been greeted after an attach frame. */
  static async attached(url, attach) {
    const raw = await RawSocket.open(url);
    raw.frame({ v: 2, kind: "attach", ...attach });
    await raw.until((frame) => frame.kind === "hello");
    return raw;
  }

  text(text) {
    this.socket.send(text);
  }

  frame(frame) {
    this.text(superjson.stringify(frame));
  }

  get kinds() {
    return this.frames.map((frame) => frame.kind);
  }

  /** until returns the first frame for which a condition holds, as soon as it is there. */
  until(wanted) {
    return new Promise((resolve, reject) => {
      const fail = (why) => reject(new Error(`${why}, never ${wanted}, but ${superjson.stringify(this.frames)}`));
      const given = setTimeout(() => fail("in time"), 20_000);
      this.#changed = () => {
        const frame = this.frames.find(wanted);
        if (frame === undefined && !this.end) return;
        clearTimeout(given);
        this.#changed = () => {};
        if (frame === undefined) fail(`until the end with ${this.end.code}`);
        else resolve(frame);
      };
      this.#changed();
    });
  }

  close() {
    this.socket.close();
    return this.closed;
  }
}
