import SuperJSON from "superjson";

export class Point {
  constructor(x, y) {
    this.x = x;
    this.y = y;
  }
}

export class Decimal {
  constructor(text) {
    this.text = text;
  }
}

export const tag = Symbol("tag");

// The instance has the settings of the Go side's codec.
export const codec = new SuperJSON();
codec.registerClass(Point, { identifier: "Point" });
codec.registerSymbol(tag, "my-tag");
codec.registerCustom(
  { isApplicable: (v) => v instanceof Decimal, serialize: (v) => v.text, deserialize: (text) => new Decimal(text) },
  "decimal",
);
codec.allowErrorProps("code");

export const reprint = (text) => codec.stringify(codec.parse(text));
