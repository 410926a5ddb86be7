// The page's functions of the library. The Go test names their script and module.
import { readFileSync } from "node:fs";

const script = process.env.PAGE_SCRIPT;
const { load: start } = await import(script);

export const { HailmarkError } = await import(new URL("../../../wasm/npm/functions.js", script));
export const load = () => start(readFileSync(process.env.PAGE_MODULE));
