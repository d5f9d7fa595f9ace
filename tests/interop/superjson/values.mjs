import { Decimal, Point, tag } from "./codec.mjs";

// A small generator of numbers (mulberry32), so that a seed gives the same values twice.
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const keys = ["", ".", "\\", "\\.", "a.b", "0", "01", "7", "4294967294", "4294967295", "a", "b", "name", "б", "\ud800", "\u2028", "x\\y.z", "-1"];
const numbers = [0, -0, NaN, Infinity, -Infinity, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, 9007199254740993, 0.1, -1.5, 4294967296];
const strings = ["", "x", "😀", "\ud83d", "\udc00x", "\u0000\u001f\u007f", "\"\\/", "\u2028\u2029", "__proto__", "Infinity", "12", "a\nb\tc"];
const sources = ["x", "a/b", "[/]", "\\d+", "\\/", "", "é", "(?<n>.)", "\n", "]/"];
const arrays = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array];

class Maker {
  constructor(next) {
    this.next = next;
    this.shared = [];
    this.open = [];
    // Inside an Error or an instance the library does not follow shared references.
    this.closed = 0;
  }

  int(n) {
    return Math.floor(this.next() * n);
  }

  pick(list) {
    return list[this.int(list.length)];
  }

  key() {
    return this.next() < 0.5 ? this.pick(keys) : "k" + this.int(30);
  }

  string() {
    return this.next() < 0.5 ? this.pick(strings) : "s" + this.int(1e9).toString(36);
  }

  number() {
    const kind = this.next();
    if (kind < 0.3) return this.pick(numbers);
    if (kind < 0.6) return this.int(1000);
    return (this.next() - 0.5) * 10 ** (this.int(40) - 20);
  }

  date() {
    const kind = this.next();
    if (kind < 0.1) return new Date(NaN);
    if (kind < 0.2) return new Date(this.pick([-8.64e15, 8.64e15, -62198755200000, -1, 253402300800000]));
    return new Date(Math.floor((this.next() - 0.3) * 4e12));
  }

  scalar() {
    switch (this.int(14)) {
      case 0: return null;
      case 1: return undefined;
      case 2: return this.next() < 0.5;
      case 3: case 4: return this.number();
      case 5: case 6: return this.string();
      case 7: return BigInt(this.int(5)) ** BigInt(this.int(60)) * (this.next() < 0.5 ? -1n : 1n);
      case 8: return this.date();
      case 9: return new RegExp(this.pick(sources), this.pick(["", "g", "gi", "dgimsuy"].slice(0, 3)));
      case 10: return new URL(this.pick(["https://x.example/a?b=c#d", "wss://x.example:8443/", "mailto:a@b.example"]));
      case 11: return this.typed();
      case 12: return this.next() < 0.5 ? tag : new Decimal(String(this.int(100)));
      default: return this.number();
    }
  }

  typed() {
    const n = this.int(5);
    if (this.next() < 0.2) {
      const big = this.next() < 0.5 ? BigInt64Array : BigUint64Array;
      return big.from(Array.from({ length: n }, () => BigInt(Math.floor((this.next() - 0.5) * 2 ** 53)) * 2048n));
    }
    return this.pick(arrays).from(Array.from({ length: n }, () => this.number()));
  }

  // A value that is still open is printed as null, and so is an invalid Date. Among the
  // members of a Set and the keys of a Map that null may meet another, of which the
  // library then loses one.
  value(depth, unique = false) {
    if (!this.closed && this.shared.length && this.next() < 0.08) return this.one(unique);
    if (!this.closed && !unique && this.open.length && this.next() < 0.02) return this.pick(this.open);
    if (depth === 0 || this.next() < 0.35) {
      const v = this.scalar();
      if (unique && v instanceof Date && isNaN(v)) return 0;
      if (!this.closed && typeof v === "object" && v !== null && this.next() < 0.3) this.shared.push(v);
      return v;
    }
    return this.container(depth - 1);
  }

  one(unique) {
    const v = this.pick(this.shared);
    return unique && v instanceof Date && isNaN(v) ? 0 : v;
  }

  // A container is made empty first, so that what is put in may hold it.
  container(depth) {
    const n = this.int(5);
    const kind = this.int(12);
    if (kind === 10) return this.error(depth);
    if (kind === 11) {
      this.closed++;
      const p = new Point(this.value(depth), this.value(depth));
      this.closed--;
      return p;
    }
    const made = kind < 4 ? {} : kind < 7 ? [] : kind < 8 ? new Set() : new Map();
    if (!this.closed) this.open.push(made);
    for (let i = 0; i < n; i++) {
      if (Array.isArray(made)) made.push(this.value(depth));
      else if (made instanceof Set) made.add(this.value(depth, true));
      else if (made instanceof Map) made.set(this.next() < 0.6 ? this.key() : this.value(depth, true), this.value(depth));
      else made[this.key()] = this.value(depth);
    }
    if (!this.closed) {
      this.open.pop();
      if (this.next() < 0.3) this.shared.push(made);
    }
    return made;
  }

  error(depth) {
    this.closed++;
    const e = this.next() < 0.5 ? new Error(this.string(), { cause: this.value(depth) }) : new TypeError(this.string());
    if (this.next() < 0.5) e.code = this.value(0);
    e.stack = undefined;
    this.closed--;
    return e;
  }
}

export function* values(seed, count) {
  const next = random(seed);
  for (let i = 0; i < count; i++) {
    yield new Maker(next).value(4);
  }
}
