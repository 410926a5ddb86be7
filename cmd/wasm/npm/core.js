// The functions for links, validation and codes, which run in the WebAssembly module core.wasm.
// core.d.ts describes them.
import { coreOf, loader } from "./functions.js";

export { HailmarkError } from "./functions.js";

export const load = loader(() => new URL("./core.wasm", import.meta.url), coreOf);
