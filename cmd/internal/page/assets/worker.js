// The worker of the tab Many. It draws the rows of a table, so that the page can react.
import { load } from "../../../wasm/npm/index.js";

/** How many rows are drawn between two messages: at first few, so that the page shows something soon. */
const sizes = [10, 50, 250];

async function draw({ module, input, options }) {
  const { batch } = await load(module);
  const steps = batch.open(input, options);
  const notable = [];
  let done = 0;
  for (let i = 0; ; i++) {
    const rows = steps.step(sizes[Math.min(i, sizes.length - 1)]);
    if (rows.length === 0) break;
    done += rows.length;
    notable.push(...rows.filter((row) => row.status === "failed" || row.warnings.length > 0));
    postMessage({ done, rows: steps.rows });
  }
  const result = steps.finish();
  postMessage({ result: { ...result, notable } }, [result.file.buffer]);
}

addEventListener("message", ({ data }) => draw(data).catch((error) => postMessage({ problems: error.problems ?? [{ code: "", message: error.message }] })));
