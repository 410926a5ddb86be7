// Draws the images listed on standard input, and prints those that differ from the
// hash that they should have.
import { text as readAll } from "node:stream/consumers";

import { load } from "hailmark";

import { load as loadPage } from "./page.mjs";
import { sha256 } from "./picture.mjs";

const { qrcode } = await load();
const { print } = await loadPage();
for (const { text, options, code, format, hash } of JSON.parse(await readAll(process.stdin))) {
  const picture = code ? print.render({ ...code, logo: Buffer.from(code.logo, "base64") }, format) : qrcode.renderQR(text, options);
  if ((await sha256(picture)) !== hash) console.log(`differs: ${JSON.stringify({ text, options, code, format })}`);
}
