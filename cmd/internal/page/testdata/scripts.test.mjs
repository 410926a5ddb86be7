// Tests of the scripts that need no browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { paperCode, targetOf } from "../assets/engine.js";
import { isForPaper } from "../assets/fields.js";
import { gapsOf, peopleOf, timeOf } from "../assets/people.js";

test("a target with a letter or @ is a username", () => {
  for (const [who, kind, value] of [
    ["jane.doe", "username", "jane.doe"],
    [" @jane ", "username", "jane"],
    ["@123", "username", "123"],
    ["+1 650 555 1234", "phone", "+1 650 555 1234"],
    ["123_", "phone", "123_"],
    ["жанна", "username", "жанна"],
    ["tel:+49171", "phone", "+49171"],
    ["My number: +49 171", "phone", "+49 171"],
    ["+49 171/1234567", "phone", "+49 171/1234567"],
    ["+49 171 Jane", "phone", "+49 171 Jane"],
    ["https://wa.me/message/ABC", "link", "https://wa.me/message/ABC"],
    ["wa.me/jane", "link", "wa.me/jane"],
  ]) {
    assert.deepEqual(targetOf(who), { kind, value }, who);
  }
});

test("millimetres, captions, frames and logos need the layout for paper", () => {
  const plain = { unit: "px", caption: "", frame: "" };
  assert.equal(isForPaper(plain), false);
  for (const change of [{ unit: "mm" }, { caption: "x" }, { frame: "x" }, { logo: new Uint8Array(1) }]) assert.equal(isForPaper({ ...plain, ...change }), true);
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

const address = ({ bsuid, phone }) => (phone ? { field: "to", value: phone } : bsuid ? { field: "recipient", value: bsuid } : undefined);

test("events are grouped by BSUID, and by the number with whoever used it last", () => {
  const people = peopleOf({ changes: [], events: [
      { phone: "16505551234" },
      { bsuid: "US.1", phone: "16505551234", displayName: "Jane" },
      { bsuid: "US.1" },
      { bsuid: "US.2", phone: "16505551234" },
      { phone: "16505551234" },
      { kind: "status" },
      { username: "max" },
    ] },
    address,
  );
  assert.deepEqual(people.map(({ bsuid, phone, name, events }) => ({ bsuid, phone, name, events })), [
    { bsuid: "US.1", phone: undefined, name: "Jane", events: [0, 1, 2] },
    { bsuid: "US.2", phone: "16505551234", name: undefined, events: [3, 4] },
    { bsuid: undefined, phone: undefined, name: undefined, events: [6] },
  ]);
  assert.deepEqual(people.map((person) => person.gaps), [["gapPhone"], ["gapName"], ["gapAddress", "gapBSUID", "gapPhone", "gapName"]]);
});

test("a reply goes to the current ids", () => {
  const replies = (changes, ...events) => peopleOf({ changes, events }, address).map((person) => [person.address?.value, person.phone, person.events.length]);
  const change = (previous, current, phone) => ({ previous, current, phone });
  assert.deepEqual(replies([change({ bsuid: "US.1" }, { bsuid: "US.2" }, "491")], { bsuid: "US.1" }), [["US.2", "491", 1]]);
  assert.deepEqual(replies([change({ bsuid: "US.1" }, { bsuid: "US.2" })], { bsuid: "US.1", phone: "492" }, { bsuid: "US.2" }), [["US.2", undefined, 2]]);
  assert.deepEqual(replies([change({ bsuid: "US.1" }, { bsuid: "US.2" }), change({ bsuid: "US.2" }, { bsuid: "US.1" })], { bsuid: "US.2" }), [["US.1", undefined, 1]]);
  assert.deepEqual(replies([change({ phone: "491", bsuid: "US.1" }, { phone: "492" })], { bsuid: "US.1", phone: "491" }), [["492", "492", 1]]);
  assert.deepEqual(replies([change({}, { bsuid: "US.2" }, "491")], { phone: "491" }), [["US.2", "491", 1]]);
  assert.deepEqual(replies([change({ bsuid: "US.1" }, { bsuid: "US.2" })], { bsuid: "US.3" }), [["US.2", undefined, 0], ["US.3", undefined, 1]]);
});

test("gaps are what is missing", () => {
  assert.deepEqual(gapsOf({ address: {}, bsuid: "US.1", name: "Jane" }), ["gapPhone"]);
});

test("a timestamp counts seconds or milliseconds", () => {
  assert.equal(timeOf("1795243200").toISOString(), "2026-11-21T06:40:00.000Z");
  assert.equal(timeOf("1795243200000").toISOString(), "2026-11-21T06:40:00.000Z");
  for (const unknown of [undefined, "", "x", "12"]) assert.equal(timeOf(unknown), undefined);
});
