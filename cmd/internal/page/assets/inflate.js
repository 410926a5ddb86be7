// Inflate for browsers without DecompressionStream (RFC 1951 and 1952).

const lengthBase = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const lengthBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const distanceBase = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577];
const codeOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** Unpacks the only member of a gzip file, which has no optional fields. */
export function inflate(packed) {
  const size = new DataView(packed.buffer, packed.byteOffset + packed.length - 4).getUint32(0, true);
  const out = new Uint8Array(size);
  let written = 0;
  let at = 10; // behind the header
  let held = 0;
  let count = 0;

  function bits(n) {
    while (count < n) {
      if (at >= packed.length) throw new Error("the data end too early");
      held |= packed[at++] << count;
      count += 8;
    }
    const value = held & ((1 << n) - 1);
    held >>>= n;
    count -= n;
    return value;
  }

  function symbol({ counts, symbols }) {
    let code = 0;
    let first = 0;
    let index = 0;
    for (let length = 1; length <= 15; length++) {
      code |= bits(1);
      if (code - first < counts[length]) return symbols[index + code - first];
      index += counts[length];
      first = (first + counts[length]) << 1;
      code <<= 1;
    }
    throw new Error("the data have an unknown code");
  }

  for (let last = false; !last; ) {
    last = bits(1) === 1;
    const type = bits(2);
    if (type === 0) {
      held = count = 0;
      const length = packed[at] | (packed[at + 1] << 8);
      out.set(packed.subarray(at + 4, at + 4 + length), written);
      at += 4 + length;
      written += length;
      continue;
    }
    if (type === 3) throw new Error("the data have an unknown block");
    const [literals, distances] = type === 1 ? fixed() : dynamic();
    for (let s = symbol(literals); s !== 256; s = symbol(literals)) {
      if (s < 256) {
        out[written++] = s;
        continue;
      }
      const length = lengthBase[s - 257] + bits(lengthBits[s - 257]);
      const d = symbol(distances);
      const distance = distanceBase[d] + bits(Math.max(0, (d >> 1) - 1));
      for (const end = written + length; written < end; written++) out[written] = out[written - distance];
    }
  }
  if (written !== size) throw new Error("the data have another length");
  return out;

  function dynamic() {
    const literals = bits(5) + 257;
    const distances = bits(5) + 1;
    const codes = bits(4) + 4;
    const lengths = new Array(19).fill(0);
    for (let i = 0; i < codes; i++) lengths[codeOrder[i]] = bits(3);
    const table = huffman(lengths);
    const all = [];
    while (all.length < literals + distances) {
      const s = symbol(table);
      if (s < 16) all.push(s);
      else if (s === 16) all.push(...new Array(3 + bits(2)).fill(all.at(-1)));
      else all.push(...new Array(s === 17 ? 3 + bits(3) : 11 + bits(7)).fill(0));
    }
    return [huffman(all.slice(0, literals)), huffman(all.slice(literals))];
  }
}

const fixed = () => [huffman(Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))), huffman(new Array(30).fill(5))];

/** Returns the canonical code with these lengths: how many codes have each length, and the symbols in order. */
function huffman(lengths) {
  const counts = new Array(16).fill(0);
  for (const length of lengths) counts[length]++;
  counts[0] = 0;
  const symbols = [];
  for (let length = 1; length <= 15; length++) lengths.forEach((l, s) => l === length && symbols.push(s));
  return { counts, symbols };
}
