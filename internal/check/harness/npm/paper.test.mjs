// Tests of the page's functions for tables and paper.
import assert from "node:assert/strict";
import { test } from "node:test";

import { neverStops, throwsAll } from "./attempts.mjs";
import { HailmarkError, load } from "./page.mjs";

const { batch, chatlink, print } = await load();
const text = (bytes) => new TextDecoder().decode(bytes);

test("a color can be the value of a color field", () => {
  for (const color of ["075e54", "#075e54"]) assert.match(text(print.render({ text: "x", color }, "svg")), /#075e54/);
});

test("a wrong value throws all of its problems", () => {
  throwsAll(HailmarkError, [
    [() => print.render({ text: "x" }, "png"), "print_invalid_dpi"],
    [() => print.render({ text: "x" }, "gif"), "invalid_format"],
    [() => print.draw({ text: "x", color: "red" }, ""), "invalid_format", "invalid_color"],
    [() => print.inspect({ text: "x", size: NaN }), "print_invalid_length"],
    [() => print.inspect({ text: "x", size: Infinity }), "print_invalid_length"],
    [() => print.inspect({ text: "x", module: 0.1 }), "print_invalid_length"],
    [() => print.inspect({ text: "x".repeat(2000), size: 25 }), "print_module_too_small"],
    [() => print.inspect({ text: "x", caption: "\u0627" }), "print_unsupported_character"],
    [() => print.inspect({ text: "x", logo: new Uint8Array([1, 2, 3]) }), "print_invalid_logo"],
    [() => print.inspect({ text: "x", logo: new ArrayBuffer(0) }), "print_invalid_logo"],
    [() => batch.open("name\nx\n", { output: "zip" }), ""],
    [() => batch.open("", { output: "zip" }), ""],
    [() => batch.open("username\n", { output: "labels", labels: "none" }), "print_invalid_labels"],
    [() => batch.open("username\n", { output: "zip", color: "x", text: "\ud800" }), "text_invalid", "invalid_color"],
  ]);
});

test("a wrong type is a TypeError", () => {
  for (const call of [
    () => print.render({ text: "x" }),
    () => print.inspect({ text: "x", logo: 1 }),
    () => print.inspect({ text: "x", __proto__: null, size: "25" }),
    () => batch.open("username\n", { output: "zip", border: 1 }),
    () => batch.open("username\n", { output: "zip", columns: { user: "1" } }),
    () => batch.open("username\n", { output: "zip", corrections: [{ row: 2, column: "username" }] }),
    () => batch.open("username\n", { output: "check" }).step(0),
  ]) {
    assert.throws(call, TypeError, String(call));
  }
});

test("results", () => {
  assert.equal(chatlink.buildUsernameLink("jane.doe"), "https://wa.me/jane.doe");
  assert.ok(print.labelNames().includes("avery-l7160"));
  const code = { text: "x", caption: "Jane", frame: "Scan me", dpi: 300 };
  for (const format of ["pdf", "eps", "svg", "png"]) assert.deepEqual(print.draw(code, format), { ...print.inspect(code), file: print.render(code, format) });
});

test("garbage never stops the module", () => {
  neverStops(HailmarkError, {
    times: 1000,
    least: 20,
    valid: ["https://wa.me/jane.doe?text=x", "US.13491208655302741918", "+1 650 555 1234", "username;file\njane.doe;\u00e4\n", `<svg viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>`],
    calls: (garbage, number, random) => [
      () => print.render({ text: garbage(), size: number(), dpi: random(700), caption: garbage(), frame: garbage() }, ["pdf", "eps", "svg", "png"][random(4)]),
      () => print.inspect({ text: "x", logo: garbage(), logoShare: number() }),
      () => {
        const b = batch.open(garbage(), { output: ["zip", "check", "labels"][random(3)], labels: "avery-l7160", caption: garbage() });
        while (b.step(3).length > 0);
        b.finish();
      },
    ],
  });
});

test("a batch", () => {
  const b = batch.open(new TextEncoder().encode("\uFEFFusername;phone;file\njane.doe;;A\u0308\n;+1 650 555 1234;\u00c4\nx;;\n;;\n"), { output: "zip" });
  assert.equal(b.rows, 4);
  assert.deepEqual(b.step(1), [{ row: 2, status: "ok", file: "\u00c4~2.png", link: "https://wa.me/jane.doe", warnings: [] }]);
  assert.deepEqual(b.step(1000).map((r) => [r.row, r.status, r.file ?? r.code]), [[3, "ok", "\u00c4~3.png"], [4, "failed", "username_length"], [5, "skipped", undefined]]);
  assert.deepEqual(b.step(1), []);
  const out = b.finish();
  assert.deepEqual(out.counts, { ok: 2, failed: 1, skipped: 1 });
  assert.equal(text(out.file.subarray(0, 4)), "PK\x03\x04");
  assert.equal(text(out.reportNDJSON).split("\n").length, 5);
  assert.throws(() => b.step(1), HailmarkError);
  b.close();
  b.close();

  const labels = batch.open("username\njane.doe\nx\njohn.doe\n", { output: "labels", labels: "avery-l7160", start: 21, caption: "{name}" });
  assert.deepEqual(labels.step(9).map((r) => [r.status, r.page, r.label]), [["ok", 1, 21], ["failed", undefined, undefined], ["ok", 2, 1]]);
  assert.equal(text(labels.finish().file.subarray(0, 5)), "%PDF-");

  const check = batch.open("username\nx\n", { output: "check" });
  check.step(1);
  assert.equal(check.finish().file.length, 0);
  assert.equal(batch.open("username\njane.doe\n", { output: "zip", format: "pdf", caption: "{name}" }).step(1)[0].file, "jane.doe.pdf");
  assert.equal(batch.open("jane.doe\n", { output: "check", noHeader: true, columns: { username: "1" } }).step(1)[0].status, "ok");
});

test("the columns of a table are guessed, and its cells corrected", () => {
  const table = "Wer;Mobil\njane.doe;\nJane.Doe;\n;0171 1234567\n";
  const guess = batch.guess(table, { country: "DE" });
  assert.deepEqual(guess, { certain: false, noHeader: false, columns: { username: "1", phone: "2" } });
  const rows = (corrections) => batch.open(table, { output: "check", country: "DE", columns: guess.columns, corrections }).step(9);
  const [, wrong, phone] = rows();
  assert.deepEqual([wrong.code, wrong.value, wrong.suggestion], ["username_invalid_chars", "Jane.Doe", "jane.doe"]);
  assert.equal(phone.link, "https://wa.me/491711234567");
  assert.equal(rows([{ row: wrong.row, column: wrong.column, value: wrong.suggestion }])[1].link, "https://wa.me/jane.doe");
  assert.deepEqual(batch.guess("username\njane.doe\n").certain, true);
  assert.deepEqual(batch.guess("@jane\n@max\n"), { certain: false, noHeader: true, columns: { username: "1" } });
});

test("posters and table tents", () => {
  const code = { text: "https://wa.me/jane.doe", caption: "@jane.doe" };
  for (const tent of [false, true]) {
    const { width, height, file, symbol } = print.poster(code, { heading: "Questions?", footer: "We answer soon.", paper: "a5", tent }, "pdf");
    assert.deepEqual([Math.round(width), Math.round(height)], [148, 210]);
    assert.equal(text(file.subarray(0, 5)), "%PDF-");
    assert.ok(symbol.modules > 20);
  }
  assert.throws(() => print.poster(code, { footer: "\u2603" }, "pdf"), (error) => error.problems[0].field === "footer");
  assert.throws(() => print.poster(code, { paper: "a0" }, "pdf"), { code: "print_invalid_paper" });
  assert.equal(Math.round(print.inspect({ text: "x", outer: 40 }).width), 40);
});
