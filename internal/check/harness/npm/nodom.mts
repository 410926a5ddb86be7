// Compiled without the lib "dom" and without @types/node: the types of the package need neither.
import { load } from "hailmark";

await load();
await load("hailmark.wasm");
await load(new Uint8Array());
// @ts-expect-error a number is not a source
await load(1);
