// Reads lines of JSON with a text and a size, and writes for each a line of JSON: the rows
// of nayuki's symbol, and the PNG (in base64) and the SVG of npm's qrcode.
import { readFileSync } from "node:fs";
import nayuki from "nayuki-qr-code-generator";
import QRCode from "qrcode";

for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const { text, size } = JSON.parse(line);
  const symbol = nayuki.QrCode.encodeText(text, nayuki.QrCode.Ecc.MEDIUM);
  const rows = [];
  for (let y = 0; y < symbol.size; y++) {
    rows.push(Array.from({ length: symbol.size }, (_, x) => symbol.getModule(x, y)));
  }
  const png = await QRCode.toBuffer(text, { width: size });
  const svg = await QRCode.toString(text, { type: "svg", width: size });
  console.log(JSON.stringify({ rows, png: png.toString("base64"), svg }));
}
