// Runs the npm package for the runners in the vectors folder. vectors/README.md describes
// the lines. The package must be installed where this file is.
import { createInterface } from "node:readline";

import { load } from "hailmark";

import { answer, functionsOf } from "./functions.mjs";

const functions = functionsOf(await load());
for await (const line of createInterface({ input: process.stdin })) {
  const { function: name, input } = JSON.parse(line);
  console.log(JSON.stringify(await answer(functions, name, input)));
}
