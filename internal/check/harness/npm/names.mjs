// Compares the names that index.d.ts declares with those that the package has. Prints the
// differences, and exits with 1 if there are any.
import { fileURLToPath } from "node:url";

import * as package_ from "hailmark";
import ts from "typescript";

const file = fileURLToPath(import.meta.resolve("hailmark").replace(/js$/, "d.ts"));
const coreFile = file.replace("index.d.ts", "core.d.ts");
const program = ts.createProgram([file, coreFile], { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.NodeNext, strict: true });
const checker = program.getTypeChecker();
const exports = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
const coreExports = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(coreFile)));
const wrong = [];

function compare(what, declared, real) {
  for (const name of declared) if (!real.includes(name)) wrong.push(`${what}${name} is declared, but missing`);
  for (const name of real) if (!declared.includes(name)) wrong.push(`${what}${name} is not declared`);
}

compare("", exports.filter((s) => s.flags & ts.SymbolFlags.Value).map((s) => s.name), Object.keys(package_));

function compareMembers(what, type, value) {
  const members = type.getProperties();
  compare(what, members.map((s) => s.name), Object.keys(value));
  for (const member of members) {
    const memberType = checker.getTypeOfSymbol(member);
    if (typeof value[member.name] === "object") compareMembers(`${what}${member.name}.`, memberType, value[member.name]);
    if (ts.displayPartsToString(member.getDocumentationComment(checker)) === "" && typeof value[member.name] === "function") {
      wrong.push(`${what}${member.name} has no comment`);
    }
  }
}

const hailmark = await package_.load();
compareMembers("", checker.getDeclaredTypeOfSymbol(exports.find((s) => s.name === "Hailmark")), hailmark);
compareMembers("core.", checker.getDeclaredTypeOfSymbol(coreExports.find((s) => s.name === "HailmarkCore")), await (await import("hailmark/core")).load());
for (const line of wrong) console.log(line);
process.exitCode = wrong.length > 0 ? 1 : 0;
