#!/usr/bin/env node
// Runs the test vectors against an implementation in any language.
//
//   node run.mjs COMMAND [ARG...]         all files but http.json, see README.md
//   node run.mjs http://localhost:8080    http.json, against a running service
//
// Options before that: --only FILE.json, --skip limits,clock,base-url
// It prints what differs and one line for each file, and exits with 1 if a vector fails.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { createInterface } from "node:readline";

const args = process.argv.slice(2);
const option = (name) => (args[0] === name ? args.splice(0, 2)[1] : undefined);
const only = option("--only");
const skip = (option("--skip") ?? "").split(",");
if (args.length === 0) {
  console.error("usage: node run.mjs [--only FILE.json] [--skip limits,clock,base-url] COMMAND [ARG...] | BASE_URL");
  process.exit(2);
}
const overHTTP = /^https?:\/\//.test(args[0]);

const folder = new URL(".", import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith(".json") && !name.endsWith(".schema.json"));
const load = (name) => JSON.parse(readFileSync(new URL(name, folder), "utf8"));

// pointer returns the value that a JSON Pointer (RFC 6901) names.
function pointer(value, path) {
  for (const part of path.split("/").slice(1)) {
    value = value?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return value;
}

// expected puts the elements of the payload in place of the pointers "at".
function expected(file, vector) {
  if (!file.function.startsWith("webhooknorm.") || !vector.output?.events) return vector.output;
  const payload = vector.input.payload ?? JSON.parse(vector.input.text);
  const events = vector.output.events.map(({ at, ...event }) => ({ ...event, raw: pointer(payload, at) }));
  return { ...vector.output, events };
}

// start runs an implementation that reads a question and writes a result on each line.
function start(command) {
  const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (question) => {
    child.stdin.write(JSON.stringify(question) + "\n");
    const line = await lines.next();
    if (line.done) throw new Error(`the command ended at ${question.function}#${question.id}`);
    return JSON.parse(line.value);
  };
  return { ask, end: () => child.stdin.end() };
}

async function callFunction(implementation, file, vector) {
  const got = await implementation.ask({ function: file.function, id: vector.id, input: vector.input });
  if (got.unsupported) return "skipped";
  const want = vector.codes ? { codes: vector.codes } : { output: expected(file, vector) };
  return isDeepStrictEqual(got, want) ? "" : `want ${JSON.stringify(want)}\n    got  ${JSON.stringify(got)}`;
}

async function callService(base, vector) {
  const { method, path, headers, body, bodyBase64, padding, repeat, bodyEquals } = vector.input;
  const content = bodyBase64 ? Buffer.from(bodyBase64, "base64") : (body ?? "") + " ".repeat(padding ?? 0);
  const want = vector.output;
  let response, text;
  for (let i = 0; i < (repeat ?? 1); i++) {
    const init = { method, headers, redirect: "manual" };
    if (method !== "GET" && method !== "HEAD") init.body = content;
    response = await fetch(base + path, init);
    text = await response.text();
  }
  const wrong = [];
  if (response.status !== want.status) wrong.push(`status ${response.status}, want ${want.status}`);
  for (const [name, value] of Object.entries(want.headers ?? {})) {
    if (response.headers.get(name) !== value) wrong.push(`${name}: ${response.headers.get(name)}, want ${value}`);
  }
  for (const name of want.absent ?? []) {
    if (response.headers.has(name)) wrong.push(`${name} must be absent`);
  }
  if (want.code && JSON.parse(text).error?.code !== want.code) wrong.push(`body ${text}, want the code ${want.code}`);
  if (want.json !== undefined && !isDeepStrictEqual(JSON.parse(text), want.json)) wrong.push(`body ${text}, want ${JSON.stringify(want.json)}`);
  if (bodyEquals && text !== bodyEquals) wrong.push(`body ${text}, want ${bodyEquals}`);
  return wrong.join("\n    ");
}

const implementation = overHTTP ? undefined : start(args);
const total = { passed: 0, failed: 0, skipped: 0 };
for (const name of names.filter((name) => (only ? name === only : (name === "http.json") === overHTTP))) {
  const file = load(name);
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const vector of file.vectors) {
    let problem = "skipped";
    if (!vector.needs?.some((need) => skip.includes(need))) {
      problem = overHTTP ? await callService(args[0].replace(/\/$/, ""), vector) : await callFunction(implementation, file, vector);
    }
    count[problem === "" ? "passed" : problem === "skipped" ? "skipped" : "failed"]++;
    if (problem && problem !== "skipped") console.log(`${name}#${vector.id} (${vector.source})\n    ${problem}`);
  }
  console.log(`${name}: ${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  for (const key in total) total[key] += count[key];
}
implementation?.end();
console.log(`total: ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
