// Logos: the library draws PNG, and this browser converts what else it can draw.

import { pictureURL } from "./dom.js";

const maxSide = 1000; // pixels of a converted logo; the library takes at most 2000

/** Returns the bytes of the logo in a file that was read, or its problem. */
export async function logoOf({ bytes, problem }) {
  if (!bytes) return { problem };
  try {
    if (isSVG(bytes)) return { bytes: await convert(await drawingOf(bytes), maxSide) };
    const image = await createImageBitmap(new Blob([bytes]));
    if (isPNG(bytes) && Math.max(image.width, image.height) <= maxSide) return { bytes };
    return { bytes: await convert(image) };
  } catch { // it's no image, or of a kind that this browser doesn't know
    return { problem: { code: "print_invalid_logo", message: "the file is no image that this browser can read; choose a PNG, a JPEG or an SVG" } };
  }
}

const isPNG = (bytes) => [0x89, 0x50, 0x4e, 0x47].every((byte, i) => bytes[i] === byte);
const isSVG = (bytes) => /^\uFEFF?\s*</.test(new TextDecoder().decode(bytes.subarray(0, 100)));

/** Returns an SVG as an image. It has no scripts, and loads nothing. */
async function drawingOf(bytes) {
  const image = new Image();
  image.src = pictureURL(bytes);
  await image.decode();
  return image;
}

// convert returns an image as a PNG. A drawing is made as large as possible.
async function convert(image, side = Math.min(maxSide, Math.max(image.width, image.height))) {
  const scale = side / Math.max(image.width, image.height);
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  return new Uint8Array(await blob.arrayBuffer());
}
