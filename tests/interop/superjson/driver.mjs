// The library's side of the SuperJSON tests. The first argument says what to do:
//
//   reprint               each line of input is a text; print what the library makes of it
//   generate SEED COUNT   print a text for each of COUNT values
//   verify SEED COUNT     each line of input is what Go made of a text of generate; print
//                         those that are not what the library makes of it
//   bench                 measure what each line of input names, see bench.mjs
import readline from "node:readline";
import { codec, reprint } from "./codec.mjs";
import { values } from "./values.mjs";
import { measure } from "./bench.mjs";

const [mode, seed, count] = process.argv.slice(2);
const lines = () => readline.createInterface({ input: process.stdin, crlfDelay: Infinity });

// Output waits until the reader has taken it, or a long run would fill the memory.
async function print(line) {
  if (!process.stdout.write(line + "\n")) {
    await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
}

switch (mode) {
  case "reprint":
    for await (const line of lines()) {
      await print(reprint(line));
    }
    break;
  case "generate":
    for (const value of values(+seed, +count)) {
      await print(codec.stringify(value));
    }
    break;
  case "verify": {
    const source = values(+seed, +count);
    for await (const line of lines()) {
      const text = codec.stringify(source.next().value);
      const again = reprint(text);
      if (line !== again) {
        await print(`made ${text}\nwant ${again}\nhave ${line}`);
      }
    }
    break;
  }
  case "bench":
    for await (const line of lines()) {
      const [name, what, rounds] = line.split(" ");
      await print(String(measure(name, what, +rounds)));
    }
    break;
  default:
    throw new Error(`unknown mode ${mode}`);
}
