// Makes many batches of every kind in one process, row by row, so that V8 optimizes the calls of
// the module. Node 20 was seen to crash after some dozens of batches; the comment of enter in
// module.js says why. The crash depends on the moment of the optimization, so success here
// doesn't prove that it can't happen.
import assert from "node:assert/strict";

import { load } from "./page.mjs";

const { batch, qrcode } = await load();
const logo = qrcode.renderQR("logo", { size: 128 });
const onPaper = { output: "zip", caption: "{name}", frame: "Chat with us", logo };
const kinds = [
  { output: "zip" },
  { output: "zip", format: "svg" },
  { ...onPaper, format: "pdf" },
  { ...onPaper, format: "eps" },
  { ...onPaper, format: "png", dpi: 150 },
  { output: "labels", labels: "avery-l7160", caption: "{name}" },
  { output: "check" },
];
const rows = 30;
const table = `username\n${Array.from({ length: rows }, (_, i) => `jane.doe${i}\n`).join("")}`;

for (let i = 0; i < 150; i++) {
  const b = batch.open(table, kinds[i % kinds.length]);
  while (b.step(10).length > 0);
  assert.deepEqual(b.finish().counts, { ok: rows, failed: 0, skipped: 0 });
}
