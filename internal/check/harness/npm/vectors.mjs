// Runs the test vectors through the npm package, in Node and in browsers.
//
// In a browser, import it from a server that serves the root of the repository, so that the
// import below is found.
import { difference } from "../../../../vectors/compare.mjs";
import { answer, functionsOf } from "./functions.mjs";

/**
 * Runs vectors. files are the parsed JSON files of the folder vectors, by their names.
 * Returns how many vectors passed, the names of those that the package has no function
 * for, and a text for each failure.
 */
export async function runVectors(hailmark, files) {
  const functions = functionsOf(hailmark);
  const result = { passed: 0, skipped: {}, failures: [] };
  for (const [name, file] of Object.entries(files)) {
    for (const vector of file.vectors) {
      const got = await answer(functions, file.function, vector.input);
      const problem = got.unsupported ? undefined : difference(file, vector, got);
      if (problem === undefined) result.skipped[name] = (result.skipped[name] ?? 0) + 1;
      else if (problem === "") result.passed++;
      else result.failures.push(`${name}#${vector.id}: ${problem}`);
    }
  }
  return result;
}
