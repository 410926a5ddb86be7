// What the tests of the package and those of the page's module expect of every function.
import assert from "node:assert/strict";

// throwsAll expects of each row [call, ...codes] an error with exactly these problems.
export function throwsAll(HailmarkError, rows) {
  for (const [call, ...codes] of rows) {
    assert.throws(call, (error) => {
      assert.ok(error instanceof HailmarkError && error instanceof Error, String(call));
      assert.equal(error.name, "HailmarkError");
      assert.deepEqual(error.problems.map((p) => p.code), codes, String(call));
      assert.equal(error.code, codes[0]);
      assert.ok(error.problems.every((p) => p.message !== "") && error.message.startsWith(error.problems[0].message));
      return true;
    });
  }
}

// neverStops makes calls with garbage, in turn. Each returns a value or throws one of the two errors
// of the module, and at least `least` calls do either.
export function neverStops(HailmarkError, { valid, calls: list, times, least }) {
  let seed = 1;
  const random = (n) => (seed = (seed * 48271) % 0x7fffffff) % n;
  const garbage = () => {
    const s = [...valid[random(valid.length)]];
    for (let i = random(6); i > 0; i--) s.splice(random(s.length + 1), random(3), String.fromCharCode(random(random(2) ? 128 : 65536)));
    return s.join("");
  };
  const number = () => [random(5000), -1, 0, 1e9, 0.5, NaN, -1e300][random(7)];
  const calls = list(garbage, number, random);
  const counts = { ok: 0, wrong: 0 };
  for (let i = 0; i < times; i++) {
    try {
      calls[i % calls.length]();
      counts.ok++;
    } catch (error) {
      if (!(error instanceof HailmarkError) && !(error instanceof TypeError)) throw error;
      counts.wrong++;
    }
  }
  assert.ok(counts.ok > least && counts.wrong > least, JSON.stringify(counts));
}
