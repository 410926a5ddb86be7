// Tests of the scripts that need no browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { paperCode } from "../assets/engine.js";
import { isForPaper } from "../assets/fields.js";

test("millimetres, captions, frames and logos need the layout for paper", () => {
  const plain = { product: "code", unit: "px", caption: "", frame: "" };
  assert.equal(isForPaper(plain), false);
  for (const change of [{ product: "poster" }, { unit: "mm" }, { caption: "x" }, { frame: "x" }, { logo: new Uint8Array(1) }]) assert.equal(isForPaper({ ...plain, ...change }), true);
});

test("a picture in pixels has modules of whole pixels", () => {
  const print = { inspect: () => ({ symbol: { modules: 25 } }) };
  const settings = { link: "x", unit: "px", caption: "a", frame: "", color: "000000", bg: "ffffff" };
  for (const [size, pixels] of [[512, 15], [33, 1], [66, 2], [65, 1], [1, 1]]) {
    const code = paperCode({ ...settings, size }, print);
    assert.equal(code.dpi, 96);
    assert.equal((code.module * 96) / 25.4, pixels);
    assert.equal(code.size, undefined);
  }
  assert.deepEqual(paperCode({ ...settings, unit: "mm", size: 25, dpi: 300 }, print), { text: "x", caption: "a", frame: "", color: "000000", bg: "ffffff", size: 25, dpi: 300 });
});
