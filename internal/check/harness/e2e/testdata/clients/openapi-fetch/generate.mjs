// Generates types with openapi-typescript. Its documentation describes this transform for
// binary responses.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const [document, output] = process.argv.slice(2);
const blob = ts.factory.createTypeReferenceNode("Blob");
const ast = await openapiTS(JSON.parse(await readFile(document, "utf8")), {
  transform: (schema) => (schema.format === "binary" ? blob : undefined),
});
await writeFile(output, astToString(ast));
