// Runs every scenario against the gateway that the first argument tells of, all at once, and prints one line for each:
// its name, and what went wrong if anything did.
import { inspect } from "node:util";
import * as bootstrap from "./bootstrap.mjs";
import * as calls from "./calls.mjs";
import * as claims from "./claims.mjs";
import * as cursors from "./cursors.mjs";
import * as http from "./http.mjs";
import * as state from "./state.mjs";
import { World } from "./world.mjs";

const world = new World(JSON.parse(process.argv[2]));
const running = [];
for (const [section, scenarios] of Object.entries({ bootstrap, claims, cursors, state, calls, http })) {
  for (const [name, scenario] of Object.entries(scenarios)) {
    const begun = performance.now();
    running.push(
      scenario(world)
        .then(() => undefined, (error) => inspect(error))
        .then((error) => console.log(JSON.stringify({ section, name, error, ms: Math.round(performance.now() - begun) }))),
    );
  }
}
await Promise.all(running);
// Sockets of a scenario that failed may still be open.
process.stdout.write("", () => process.exit());
