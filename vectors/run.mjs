#!/usr/bin/env node
// Runs the test vectors against an implementation in any language.
//
//   node run.mjs COMMAND [ARG...]         all files but http.json, see README.md
//   node run.mjs http://localhost:8080    http.json, against a running service
//
// Options before that:
//   --claim phone.Parse,bsuid.ParseBSUID    only these functions, and fail if one of their vectors is skipped
//   --only FILE.json
//   --skip limits,clock,base-url,notice
//
// It prints what differs and one line for each file, and exits with 1 if a vector fails.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { isDeepStrictEqual } from "node:util";
import { createInterface } from "node:readline";

import { difference } from "./compare.mjs";

const args = process.argv.slice(2);
const option = (name) => (args[0] === name ? args.splice(0, 2)[1] : undefined);
const list = (text) => (text ?? "").split(",").filter(Boolean);
const claimed = list(option("--claim"));
const only = option("--only");
const skip = list(option("--skip"));
if (args.length === 0) {
  console.error("usage: node run.mjs [--claim FUNCTION,...] [--only FILE.json] [--skip limits,clock,base-url,notice] COMMAND [ARG...] | BASE_URL");
  process.exit(2);
}
const overHTTP = /^https?:\/\//.test(args[0]);

const folder = new URL(".", import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith(".json") && !name.endsWith(".schema.json") && name !== "names.json");
const load = (name) => JSON.parse(readFileSync(new URL(name, folder), "utf8"));

// start runs an implementation that reads a question and writes a result on each line.
function start(command) {
  const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.on("error", () => {}); // then there is no next line
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
  return difference(file, vector, got);
}

// send makes a request with the path as it is: fetch would rewrite "..".
function send(base, { method, path, headers }, content) {
  const url = new URL(base);
  const options = { method, path: url.pathname.replace(/\/$/, "") + path, headers: { "Content-Length": content.length, ...headers } };
  return new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? https : http).request(url, options, async (response) => {
      let text = "";
      response.setEncoding("utf8");
      for await (const part of response) text += part;
      resolve({ status: response.statusCode, headers: response.headers, text });
    });
    request.on("error", reject).end(content);
  });
}

async function callService(base, vector) {
  const { body, bodyBase64, padding, repeat, bodyEquals } = vector.input;
  const content = bodyBase64 ? Buffer.from(bodyBase64, "base64") : Buffer.from((body ?? "") + " ".repeat(padding ?? 0));
  const want = vector.output;
  let response;
  for (let i = 0; i < (repeat ?? 1); i++) response = await send(base, vector.input, content);
  const { status, headers, text } = response;
  let value;
  try {
    value = JSON.parse(text);
  } catch {} // not every body is JSON
  const wrong = [];
  if (status !== want.status) wrong.push(`status ${status}, want ${want.status}`);
  for (const [name, value] of Object.entries(want.headers ?? {})) {
    if (headers[name.toLowerCase()] !== value) wrong.push(`${name}: ${headers[name.toLowerCase()]}, want ${value}`);
  }
  for (const name of want.absent ?? []) {
    if (name.toLowerCase() in headers) wrong.push(`${name} must be absent`);
  }
  if (want.code && value?.error?.code !== want.code) wrong.push(`body ${text}, want the code ${want.code}`);
  if (want.json !== undefined && !isDeepStrictEqual(value, want.json)) wrong.push(`body ${text}, want ${JSON.stringify(want.json)}`);
  if (bodyEquals && text !== bodyEquals) wrong.push(`body ${text}, want ${bodyEquals}`);
  return wrong.join("\n    ");
}

const files = names.map((name) => ({ name, ...load(name) }));
const unknown = claimed.filter((name) => !files.some((file) => file.function === name));
if (unknown.length > 0) {
  console.error(`no file has the function ${unknown.join(", ")}; the functions are ${files.map((file) => file.function).filter(Boolean).join(", ")}`);
  process.exit(2);
}
const isWanted = (file) => {
  if (only && claimed.length === 0) return file.name === only;
  return (file.name === "http.json") === overHTTP && (claimed.length === 0 || claimed.includes(file.function));
};

const implementation = overHTTP ? undefined : start(args);
const total = { passed: 0, failed: 0, skipped: 0 };
for (const file of files.filter(isWanted)) {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const vector of file.vectors) {
    let problem = "skipped";
    if (!vector.needs?.some((need) => skip.includes(need))) {
      problem = overHTTP ? await callService(args[0], vector) : await callFunction(implementation, file, vector);
    }
    if (problem === "skipped" && claimed.length > 0) problem = `${file.function} is claimed, but this vector is skipped`;
    count[problem === "" ? "passed" : problem === "skipped" ? "skipped" : "failed"]++;
    if (problem && problem !== "skipped") console.log(`${file.name}#${vector.id} (${vector.source})\n    ${problem}`);
  }
  console.log(`${file.name}: ${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  for (const key in total) total[key] += count[key];
}
implementation?.end();
console.log(`total: ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
