// Compares the speed of the package with that of others, in one process.
//
//   cmd/wasm/build && npm ci && node bench.mjs
import { readFileSync } from "node:fs";

import startFastQR, { qr_svg as fastQR, SvgOptions } from "fast_qr/fast_qr.js";
import QRCode from "qrcode";

import { load } from "../../../../cmd/wasm/npm/index.js";

const { busname, chatlink, qrcode } = await load(readFileSync(new URL("../../../../cmd/wasm/npm/hailmark.wasm", import.meta.url)));
const link = "https://wa.me/jane.doe?text=Hi%20there!";
await startFastQR(readFileSync(new URL("./node_modules/fast_qr/fast_qr_bg.wasm", import.meta.url)));

const calls = {
  "hailmark: PNG, 512 pixels": () => qrcode.renderQR(link, { size: 512 }),
  "qrcode: PNG, 512 pixels": () => new Promise((resolve, reject) => QRCode.toBuffer(link, { width: 512 }, (error, data) => (error ? reject(error) : resolve(data)))),
  "hailmark: SVG": () => qrcode.renderQR(link, { format: "svg" }),
  "fast_qr: SVG": () => fastQR(link, new SvgOptions()),
  "qrcode: SVG": () => QRCode.toString(link, { type: "svg" }),
  "hailmark: a link": () => chatlink.buildUsernameLink("jane.doe", "Hi there!"),
  "hailmark: a username": () => busname.parse("jane.doe"),
};

// time returns the microseconds of a call: the mean of calls that take a tenth of a second.
async function time(call) {
  let n = 0;
  const start = performance.now();
  do {
    await call();
    n++;
  } while (performance.now() - start < 100);
  return ((performance.now() - start) / n) * 1000;
}

const times = Object.fromEntries(Object.keys(calls).map((name) => [name, []]));
for (const call of Object.values(calls)) await time(call); // compiles it
for (let round = 0; round < 5; round++) {
  for (const [name, call] of Object.entries(calls)) times[name].push(await time(call));
}
const median = (name) => times[name].sort((a, b) => a - b)[2];
for (const name of Object.keys(calls)) console.log(`${name}: ${median(name).toFixed(1)} microseconds`);
const ratio = (slow, fast) => (median(slow) / median(fast)).toFixed(1);
console.log(`A PNG takes qrcode ${ratio("qrcode: PNG, 512 pixels", "hailmark: PNG, 512 pixels")} times as long.`);
console.log(`An SVG takes fast_qr ${ratio("fast_qr: SVG", "hailmark: SVG")} times as long, and qrcode ${ratio("qrcode: SVG", "hailmark: SVG")} times.`);
