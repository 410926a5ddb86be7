// Draws a table, and writes the output and the reports to files.
//
//   node table.mjs TABLE OPTIONS OUTPUT
import { readFileSync, writeFileSync } from "node:fs";

import { load } from "./page.mjs";

const [table, options, output] = process.argv.slice(2);
const { batch } = await load();
const b = batch.open(readFileSync(table), JSON.parse(options));
while (b.step(7).length > 0);
const { file, reportCSV, reportNDJSON } = b.finish();
writeFileSync(output, file);
writeFileSync(`${output}.csv`, reportCSV);
writeFileSync(`${output}.ndjson`, reportNDJSON);
