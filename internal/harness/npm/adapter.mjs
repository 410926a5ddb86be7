// Runs the npm package for the runners in the vectors folder. vectors/README.md describes
// the lines.
//
//   node vectors/run.mjs node internal/harness/npm/adapter.mjs
import { createInterface } from "node:readline";

import { load } from "../../../cmd/wasm/npm/index.js";
import { answer, functionsOf } from "./functions.mjs";

const source = new URL("../../../cmd/internal/page/assets/hailmark.wasm", import.meta.url);
const functions = functionsOf(await load(source));
for await (const line of createInterface({ input: process.stdin })) {
  const { function: name, input } = JSON.parse(line);
  console.log(JSON.stringify(await answer(functions, name, input)));
}
