// The worker runs the library: one for what a person types, and one for each batch.
import { engineOf } from "./engine.js";
import { load } from "./paper.js";

let engine;

/** How many rows are drawn between two messages: at first few, so that the page shows something soon. */
const sizes = [10, 50, 250];

const functions = {
  async load(module) {
    engine = engineOf(await load(module));
  },

  async batch(module, input, options) {
    const { batch } = await load(module);
    const steps = batch.open(input, options);
    const notable = [];
    let done = 0;
    for (let i = 0; ; i++) {
      const rows = steps.step(sizes[Math.min(i, sizes.length - 1)]);
      if (rows.length === 0) return { ...steps.finish(), notable };
      done += rows.length;
      notable.push(...rows.filter((row) => row.status === "failed" || row.warnings.length > 0));
      postMessage({ done, rows: steps.rows });
    }
  },
};

addEventListener("message", async ({ data: { id, name, args } }) => {
  try {
    postMessage({ id, value: await (functions[name] ?? engine[name])(...args) });
  } catch (error) {
    postMessage({ id, error: { problems: error.problems ?? [{ field: "worker", code: "worker", message: error.message }] } });
  }
});
