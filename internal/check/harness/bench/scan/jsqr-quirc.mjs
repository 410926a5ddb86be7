// Reads the PNG files that standard input names, one a line, and writes for each a line of
// JSON: the texts that jsQR and quirc read, or "".
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import jsQR from "jsqr";
import { PNG } from "pngjs";

const require = createRequire(import.meta.url);
const { Quirc } = require("quirc"); // its ESM entry names a file that is not there
const wasm = require.resolve("quirc").replace(/dist.*/, "dist/libquirc.wasm");
const { instance } = await WebAssembly.instantiate(readFileSync(wasm));
const quirc = new Quirc(instance);
for (const file of readFileSync(0, "utf8").trim().split("\n")) {
  const { data, width, height } = PNG.sync.read(readFileSync(file));
  const gray = new Uint8Array(width * height);
  for (let i = 0; i < gray.length; i++) gray[i] = (299 * data[4 * i] + 587 * data[4 * i + 1] + 114 * data[4 * i + 2]) / 1000;
  let found = "";
  for (const entry of quirc.decode(gray, width, height)) found ||= entry.data?.text ?? "";
  console.log(JSON.stringify([jsQR(new Uint8ClampedArray(data), width, height)?.data ?? "", found]));
}
