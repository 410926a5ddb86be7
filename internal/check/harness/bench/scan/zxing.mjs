// Reads the PNG files that standard input names, one a line, and writes for each a line
// of JSON: the text of the QR code, or "".
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";

const wasm = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm");
prepareZXingModule({ overrides: { wasmBinary: readFileSync(wasm) } });
for (const file of readFileSync(0, "utf8").trim().split("\n")) {
  const results = await readBarcodes(new Blob([readFileSync(file)]), { formats: ["QRCode"], tryHarder: true });
  console.log(JSON.stringify(results.map((r) => r.text).join("\0")));
}
