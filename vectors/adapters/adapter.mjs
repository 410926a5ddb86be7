// Connects an implementation in JavaScript to the runners; ../README.md describes the lines.
//
// Copy this file, and call your own code in functions.
import { createInterface } from "node:readline";

// Input is invalid for the reasons that its codes name, in order.
class Rejected extends Error {
  constructor(...codes) {
    super(codes.join(", "));
    this.codes = codes;
  }
}

function parseKey(text) {
  if (!/^[A-Za-z0-9]{4,8}$/.test(text)) throw new Rejected("key_invalid_format");
  return text;
}

const functions = { "chatlink.ParseKey": parseKey };

function answer({ function: name, input }) {
  if (!Object.hasOwn(functions, name)) return { unsupported: true };
  try {
    return { output: functions[name](input) };
  } catch (error) {
    if (error instanceof Rejected) return { codes: error.codes };
    throw error;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(answer(JSON.parse(line))));
}
