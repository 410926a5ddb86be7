// Reads the symbol of a QR code from a PNG that this library draws.

/** Returns what a vector of qr_render.json specifies for an image. */
export async function readPNG(data) {
  const { width, pixels } = await pixelsOf(data);
  const light = pixels[0];
  const dark = (x, y) => x < width && y < width && pixels[y * width + x] !== light;
  let corner = 0;
  while (corner < width && !dark(corner, corner)) corner++;
  let finder = 0;
  while (dark(corner + finder, corner)) finder++;
  let bottom = width;
  while (bottom > corner && !dark(corner, bottom - 1)) bottom--;
  const scale = finder / 7;
  const symbol = await symbolOf((bottom - corner) / scale, (x, y) => dark(corner + x * scale, corner + y * scale));
  return { ...symbol, width };
}

/** Reads level and mask from the first modules of the format information. */
export async function symbolOf(modules, dark) {
  let format = 0;
  for (let x = 0; x < 5; x++) format = format * 2 + (dark(x, 8) ? 1 : 0);
  format ^= 0b10101;
  let rows = "";
  for (let y = 0; y < modules; y++) {
    for (let x = 0; x < modules; x++) rows += dark(x, y) ? "1" : "0";
    rows += "\n";
  }
  return { version: (modules - 17) / 4, level: "MLHQ"[format >> 3], mask: format & 7, modules, grid: await sha256(new TextEncoder().encode(rows)) };
}

export async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// pixelsOf returns the index of the color of each pixel of a PNG with 1 bit a pixel.
async function pixelsOf(data) {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const chunks = [];
  let width, depth;
  for (let at = 8; at < data.length; ) {
    const length = view.getUint32(at);
    const kind = String.fromCharCode(...data.subarray(at + 4, at + 8));
    if (kind === "IHDR") [width, depth] = [view.getUint32(at + 8), data[at + 16]];
    if (kind === "IDAT") chunks.push(data.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  if (depth !== 1) throw new Error(`the PNG has ${depth} bits a pixel, not 1`);
  const inflated = new Blob(chunks).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(inflated).arrayBuffer());
  const stride = Math.ceil(width / 8) + 1;
  const pixels = new Uint8Array(width * width);
  for (let y = 0; y < width; y++) {
    const filter = bytes[y * stride];
    if (filter !== 0 && filter !== 2) throw new Error(`the PNG has the filter ${filter}`);
    for (let i = 1; filter === 2 && i < stride; i++) bytes[y * stride + i] += y > 0 ? bytes[(y - 1) * stride + i] : 0;
    for (let x = 0; x < width; x++) pixels[y * width + x] = (bytes[y * stride + 1 + (x >> 3)] >> (7 - (x & 7))) & 1;
  }
  return { width, pixels };
}
