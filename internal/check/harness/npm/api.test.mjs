// Tests of the package as a user installs it. The Go test next to this file copies it to a
// folder in which the package is installed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

import { HailmarkError, load } from "hailmark";

import { neverStops, throwsAll } from "./attempts.mjs";

const hailmark = await load();
const { bsuid, busname, chatlink, contact, qrcode, webhooknorm } = hailmark;
const wasm = fileURLToPath(import.meta.resolve("hailmark/hailmark.wasm"));
const text = (bytes) => new TextDecoder().decode(bytes);

test("a module starts in the first call where there are no random numbers before", async () => {
  const random = crypto.getRandomValues;
  let late;
  crypto.getRandomValues = () => {
    throw new Error("Disallowed operation called within global scope");
  };
  try {
    late = await load({ fresh: true });
  } finally {
    crypto.getRandomValues = random;
  }
  assert.equal(late.chatlink.buildUsernameLink("jane.doe"), "https://wa.me/jane.doe");
  assert.equal(late.version, hailmark.version);
});

test("a color can be the value of a color field", () => {
  for (const color of ["075e54", "#075e54"]) {
    assert.match(text(qrcode.renderQR("x", { format: "svg", color })), /#075e54/);
  }
});

test("a wrong value throws all of its problems", () => {
  throwsAll(HailmarkError, [
    [() => chatlink.buildUsernameLink("x@", "\ud800"), "username_length", "username_invalid_chars", "text_invalid"],
    [() => chatlink.buildPhoneLink("0171", "a".repeat(4097)), "phone_invalid_format", "text_too_long"],
    [() => chatlink.parsePhone("16505551234"), "phone_missing_plus"],
    [() => chatlink.parseKey("123"), "key_invalid_format"],
    [() => chatlink.parseLink("https://example.com"), "link_unrecognized"],
    [() => chatlink.samePhone("+16505551234", "x"), "phone_invalid_format"],
    [() => busname.parse("www.jane"), "username_starts_with_www"],
    [() => busname.warnings("x"), "username_length"],
    [() => bsuid.parseBSUID("US.-"), "invalid_bsuid"],
    [() => contact.resolve({}), "missing_identifier"],
    [() => contact.resolve({ phone: "+16505551234", username: "jane.doe" }), "missing_identifier"],
    [() => qrcode.renderQR(""), "missing_text"],
    [() => qrcode.renderQR("a\udc00b"), "text_invalid"],
    [() => qrcode.renderQR("x", { format: "gif", minLevel: "X", color: "red", bg: "##fff" }), "invalid_format", "invalid_level", "invalid_color", "invalid_bg"],
    [() => qrcode.renderQR("x", { size: 1, margin: 1 }), "invalid_size", "invalid_margin"],
    [() => qrcode.renderQR("x", { size: 1e12 }), "invalid_size"],
    [() => qrcode.renderQR("x", { color: "ffffff" }), "low_contrast"],
    [() => qrcode.renderQR("x".repeat(10_000)), "text_too_long"],
    [() => qrcode.encode("x", { minVersion: 41 }), "invalid_version"],
    [() => qrcode.scan("x", { color: "zzz" }), "invalid_color"],
    [() => webhooknorm.normalize("{"), "webhook_invalid_json"],
    [() => webhooknorm.read(new Uint8Array([0xff])), "webhook_invalid_json"],
    [() => webhooknorm.read("[]"), "webhook_unrecognized_shape"],
  ]);
});

test("an argument of the wrong type throws a TypeError", () => {
  for (const call of [
    () => chatlink.buildUsernameLink(),
    () => chatlink.buildUsernameLink("jane.doe", null),
    () => chatlink.parsePhoneDigits(16505551234),
    () => contact.resolve("jane.doe"),
    () => contact.resolve({ Phone: "+16505551234" }),
    () => contact.address({ phone: 16505551234 }),
    () => qrcode.renderQR("x", { colr: "000000" }),
    () => qrcode.renderQR("x", { size: "512" }),
    () => qrcode.renderQR("x", { size: 512.5 }),
    () => qrcode.renderQR("x", null),
    () => webhooknorm.normalize({ entry: [] }),
    () => webhooknorm.verifySignature("x", "sha256=", 1),
    () => webhooknorm.verifySignature("x", "sha256="),
    () => webhooknorm.verifySignature("x", "sha256=", undefined),
    () => chatlink.parseTarget("jane.doe", 49),
  ]) {
    assert.throws(call, TypeError, String(call));
  }
});

test("results", () => {
  assert.equal(chatlink.buildUsernameLink("jane.doe", "Hi there! \u{1F600}"), "https://wa.me/jane.doe?text=Hi%20there!%20%F0%9F%98%80");
  assert.ok(chatlink.samePhone("+55 11 8123 4567", "+55 11 9 8123 4567"));
  assert.deepEqual(chatlink.parseLink("wa.me/jane.doe?text=%EF%BB%BFx"), {
    kind: "username", username: "jane.doe", text: "\uFEFFx", link: "https://wa.me/jane.doe?text=%EF%BB%BFx",
  });
  assert.deepEqual(contact.address({ phone: "US.13491208655302741918" }), { field: "recipient", value: "US.13491208655302741918" });
  assert.equal(contact.address({ username: "jane.doe" }), undefined);
  assert.ok(contact.requiresPhone("COPY_CODE"));
  assert.deepEqual(qrcode.scan("x"), { light: "green", sentence: "Scanners should read this code.", warnings: [] });
  const pale = qrcode.scan("x", { color: "989898", size: 128, bg: "ffffff" });
  assert.deepEqual([pale.light, qrcode.light(pale.warnings), qrcode.light([])], ["yellow", "yellow", "green"]);
  assert.deepEqual(pale.warnings.map((w) => [w.code, w.suggestions]), [["weak_contrast", ["777777"]]]);
  assert.deepEqual(qrcode.scan("x", { color: "ffffff", bg: "000000" }).warnings.map((w) => w.code), ["light_on_dark"]);
  assert.equal(text(qrcode.renderQR("x", { format: "svg", title: "<&>" })).match(/<title>(.*)<\/title>/)[1], "&lt;&amp;&gt;");
  assert.equal(webhooknorm.challenge("?hub.mode=subscribe&hub.verify_token=t&hub.challenge=7", "t"), "7");
  assert.equal(webhooknorm.challenge("%", "t"), undefined);
  const [event] = webhooknorm.normalize(message("wamid.1", "hi"));
  assert.equal(webhooknorm.key(event), "message:106:wamid.1");
  assert.equal(event.raw.text.body, "hi");
});

const message = (id, body) =>
  JSON.stringify({ entry: [{ changes: [{ value: { metadata: { phone_number_id: "106" }, messages: [{ from: "16505551234", id, text: { body } }] } }] }] });

test("a change is in its event", () => {
  const system = { type: "user_changed_user_id", previous_user_id: "US.10101010101010101010", user_id: "US.13491208655302741918" };
  const payload = JSON.stringify({ entry: [{ changes: [{ field: "messages", value: { messages: [{ id: "wamid.1", type: "system", system }, { id: "wamid.2" }] } }] }] });
  const { events } = webhooknorm.read(payload);
  assert.deepEqual(events[0].raw.system, system);
  assert.equal(events[0].change.current.bsuid, system.user_id);
  assert.equal(events[1].change, undefined);
});

test("an event of a group has its participant", () => {
  const participants = Array.from({ length: 2000 }, (_, i) => ({ wa_id: String(16500000000 + i) }));
  const payload = JSON.stringify({
    entry: [{ changes: [{ field: "group_participants_update", value: { groups: [{ type: "group_participants_add", added_participants: participants, padding: "x".repeat(500_000) }] } }] }],
  });
  assert.deepEqual(webhooknorm.read(payload).events.map((e) => e.raw), participants);
});

test("a webhook of 4 MiB, as text and as bytes", () => {
  const one = JSON.parse(message("wamid.1", "\u00e9".repeat(500)));
  const messages = one.entry[0].changes[0].value.messages;
  while (JSON.stringify(one).length < 3_500_000) messages.push(...messages.slice(0, 1000));
  const payload = JSON.stringify(one);
  for (const input of [payload, new TextEncoder().encode(payload), new TextEncoder().encode(payload).buffer, new DataView(new TextEncoder().encode(payload).buffer)]) {
    const events = webhooknorm.normalize(input);
    assert.equal(events.length, messages.length);
    assert.deepEqual(events.at(-1).raw, messages.at(-1));
  }
  const empty = (n) => `{"entry":[{"changes":[{"value":{"messages":[${"{},".repeat(n - 1)}{}]}}]}]}`;
  assert.equal(webhooknorm.normalize(empty(16_384)).length, 16_384);
  assert.throws(() => webhooknorm.normalize(empty(16_385)), { code: "webhook_too_many_events" });
});

test("results stay as they are when the memory grows", async () => {
  const own = await load({ fresh: true });
  const png = own.qrcode.renderQR("https://wa.me/jane.doe");
  const before = png.slice();
  own.webhooknorm.verifySignature(new Uint8Array(50_000_000), "x", "secret");
  assert.deepEqual(png, before);
  assert.deepEqual(own.qrcode.renderQR("https://wa.me/jane.doe"), before);
});

test("all callers share one module, unless they ask for another one", async () => {
  const [one, two, fresh] = await Promise.all([load(), load(), load({ fresh: true })]);
  assert.equal(one, hailmark);
  assert.equal(two, hailmark);
  assert.notEqual(fresh, hailmark);
  assert.notEqual(await load(readFileSync(wasm)), hailmark);
  assert.equal(fresh.chatlink.buildUsernameLink("jane.doe"), one.chatlink.buildUsernameLink("jane.doe"));
});

test("calls that follow each other do not mix", async () => {
  const modules = await Promise.all([load(), load({ fresh: true }), load({ fresh: true })]);
  const link = (m, i) => m.chatlink.buildUsernameLink(`jane${i}`, "x".repeat(i));
  await Promise.all(
    Array.from({ length: 300 }, async (_, i) => {
      await new Promise(setImmediate);
      assert.equal(link(modules[i % 3], i), `https://wa.me/jane${i}${i > 0 ? `?text=${"x".repeat(i)}` : ""}`);
    }),
  );
});

test("garbage never stops the module", () => {
  neverStops(HailmarkError, {
    times: 800,
    least: 50,
    valid: [message("wamid.1", "hi"), "https://wa.me/jane.doe?text=x", "US.13491208655302741918", "+1 650 555 1234", "username;file\njane.doe;\u00e4\n", `<svg viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>`],
    calls: (garbage, number, random) => [
      () => chatlink.buildUsernameLink(garbage(), garbage()),
      () => chatlink.buildPhoneLink(garbage(), garbage()),
      () => chatlink.parseLink(garbage()),
      () => busname.validateBusiness(garbage()),
      () => bsuid.isBSUID(garbage()),
      () => contact.resolve({ bsuid: garbage() }),
      () => contact.label({ displayName: garbage(), phone: garbage() }),
      () => qrcode.renderQR(garbage(), { size: Math.trunc(number()) || 0, margin: random(5), format: ["png", "svg"][random(2)], title: garbage() }),
      () => webhooknorm.read(garbage()),
      () => webhooknorm.challenge(garbage(), garbage()),
      () => webhooknorm.verifySignature(garbage(), garbage(), garbage()),
    ],
  });
});

test("the small module has the same functions for links and codes", async () => {
  const core = await import("hailmark/core");
  const small = await core.load();
  assert.deepEqual(Object.keys(small).sort(), ["bsuid", "busname", "chatlink", "qrcode", "version"]);
  assert.equal(small.version, hailmark.version);
  for (const name of ["bsuid", "busname", "chatlink", "qrcode"]) assert.deepEqual(Object.keys(small[name]), Object.keys(hailmark[name]), name);
  assert.deepEqual(small.qrcode.renderQR("https://wa.me/jane.doe"), qrcode.renderQR("https://wa.me/jane.doe"));
  assert.throws(() => small.chatlink.buildUsernameLink("x"), HailmarkError);
  assert.equal(core.HailmarkError, HailmarkError);
});

test("a target is read in a country", () => {
  assert.deepEqual(chatlink.parseTarget("0171 1234567", "DE"), { kind: "phone", phone: "491711234567", link: "https://wa.me/491711234567", name: "+491711234567", countryName: "Germany", warnings: [] });
  assert.equal(chatlink.parseTarget("@Jane.Doe").link, "https://wa.me/jane.doe");
  assert.deepEqual(chatlink.parseTarget("917 555 1234").warnings.map((w) => w.code), ["phone_missing_plus", "phone_impossible_length"]);
  assert.equal(chatlink.parsePhoneIn("0171 1234567", "de"), "491711234567");
  assert.throws(() => chatlink.parsePhoneIn("0171 1234567", "XX"), { code: "invalid_country" });
  assert.deepEqual(chatlink.suggest("Max <+49 171 1234567>"), [{ kind: "phone", phone: "491711234567", link: "https://wa.me/491711234567", name: "+491711234567", countryName: "Germany" }]);
  assert.deepEqual(chatlink.suggest("491711234567", "DE").map((s) => s.name), ["+491711234567", "+49491711234567"]);
  assert.throws(() => chatlink.parseTarget("+49 (0)171 1234567"), (error) => error.problems[0].suggestions[0] === "+491711234567");
  assert.throws(() => chatlink.parseTarget("US.13491208655302741918"), { code: "target_is_bsuid" });
  const countries = chatlink.countries();
  assert.ok(countries.length > 200 && countries.includes("DE") && !countries.includes("XX"));
});

test("the module comes from a URL, a string, a response, bytes or a module", async () => {
  const bytes = readFileSync(wasm);
  const types = ["application/wasm", "text/html"];
  const server = createServer((request, response) => {
    if (request.url === "/missing") return void response.writeHead(404).end();
    response.setHeader("Content-Type", types[request.url.length % 2]);
    response.end(bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${server.address().port}`;
  try {
    for (const source of [
      undefined, new URL("file://" + wasm), `${address}/a`, new URL(`${address}/ab`), fetch(`${address}/a`), await fetch(`${address}/ab`),
      bytes, new Uint8Array(bytes).buffer, new WebAssembly.Module(bytes), Promise.resolve(bytes), "node_modules/hailmark/hailmark.wasm",
    ]) {
      const own = await load(source);
      assert.equal(own.busname.parse("jane.doe"), "jane.doe");
    }
    await assert.rejects(load(`${address}/missing`), /status 404/);
  } finally {
    server.close();
  }
  await assert.rejects(load(new Uint8Array([1, 2, 3])), WebAssembly.CompileError);
  await assert.rejects(load("missing.wasm"), { code: "ENOENT" });
  const empty = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  await assert.rejects(load(empty), /not the module of this package/);
});

test("a Node that cannot read the module says which one can", async () => {
  const builtin = process.getBuiltinModule;
  process.getBuiltinModule = undefined; // as in Node 18
  try {
    await assert.rejects(load({ fresh: true }), /this is Node .*; hailmark needs Node 20\.16/);
  } finally {
    process.getBuiltinModule = builtin;
  }
});

test("a module that has stopped says so", async () => {
  // The exports of the module, of which call has only the instruction unreachable.
  const section = (id, ...content) => [id, content.length, ...content];
  const name = (s) => [s.length, ...Buffer.from(s)];
  const constant = [4, 0, 0x41, 0, 0x0b]; // a function that returns 0
  const module = new Uint8Array([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, 4, 0x60, 0, 0, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 0, 1, 0x7f, 0x60, 2, 0x7f, 0x7f, 1, 0x7f),
    ...section(3, 5, 0, 1, 2, 1, 3),
    ...section(5, 1, 0, 1),
    ...section(
      7, 6, ...name("memory"), 2, 0, ...name("_initialize"), 0, 0, ...name("reserve"), 0, 1, ...name("result"), 0, 2, ...name("function"), 0, 3, ...name("call"), 0, 4,
    ),
    ...section(10, 5, 2, 0, 0x0b, ...constant, ...constant, ...constant, 3, 0, 0, 0x0b),
  ]);
  const stopped = await load(module);
  assert.throws(() => stopped.busname.parse("jane.doe"), (error) => /load it again/.test(error.message) && error.cause instanceof WebAssembly.RuntimeError);
});

test("a worker gets a compiled module", async () => {
  const module = new WebAssembly.Module(readFileSync(wasm));
  const worker = new Worker(new URL("worker.mjs", import.meta.url), { workerData: module });
  const link = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  assert.equal(link, "https://wa.me/jane.doe");
});

test("require loads the package", async () => {
  const { load } = createRequire(import.meta.url)("hailmark");
  assert.equal((await load()).busname.parse("jane.doe"), "jane.doe");
});

test("nothing can be changed", () => {
  "use strict";
  assert.throws(() => (hailmark.chatlink.parseKey = undefined), TypeError);
  assert.throws(() => (hailmark.version = ""), TypeError);
  const { version } = JSON.parse(readFileSync(new URL(import.meta.resolve("hailmark/package.json"))));
  assert.equal(hailmark.version, version);
});
