// Runs the recipes of the README: express.mjs, next.mjs and workers.mjs, each of which is a
// block of it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import test from "node:test";
import { build } from "esbuild";
import { app } from "./express.mjs";
import { GET, POST } from "./next.mjs";
import { failure, stored } from "./store.mjs";

process.env.APP_SECRET = "app-secret";
// Parsing and serializing this body changes its bytes.
const body = '{"entry": [{"changes":[{"value":{"metadata":{"phone_number_id":"42"},"messages":[{"from":"16505551234","id":"wamid.\\u0041","text":{"body":"Hi"}}]}}]}]}';
const post = (body) => ({ method: "POST", body, headers: { "Content-Type": "application/json", "X-Hub-Signature-256": `sha256=${createHmac("sha256", "app-secret").update(body).digest("hex")}` } });

async function assertReceives(send) {
  process.env.VERIFY_TOKEN = "token";
  for (const [query, status, text] of [
    ["?hub.mode=subscribe&hub.verify_token=token&hub.challenge=1158201444", 200, "1158201444"],
    ["?hub.mode=subscribe&hub.verify_token=other&hub.challenge=1158201444", 403],
    ["?hub.verify_token=token&hub.challenge=1158201444", 403],
    ["", 403],
  ]) {
    const response = await send({}, query);
    assert.equal(response.status, status, query);
    if (text) assert.equal(await response.text(), text);
  }
  stored.length = 0;
  assert.equal((await send(post(body))).status, 200);
  assert.deepEqual(stored.map((event) => event.messageId), ["wamid.A"]);
  for (const forged of [{ ...post(body), body: `${body} ` }, { method: "POST", headers: { "Content-Type": "application/json" }, body }, { method: "POST", body: "" }]) {
    assert.equal((await send(forged)).status, 403);
  }
  assert.equal((await send(post('{"x":1}'))).status, 200, "repeating what's no webhook wouldn't help");
  assert.equal((await send(post('{"x":'))).status, 400);
  assert.equal(stored.length, 1);
  failure.error = new Error("the database is out of reach");
  assert.equal((await send(post(body))).status, 503);
  failure.error = undefined;
}

test("Express", async () => {
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await assertReceives((request, query = "") => fetch(`http://127.0.0.1:${server.address().port}/webhook${query}`, request));
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test("the handlers of Next.js", () => assertReceives((request, query = "") => (request.method ? POST : GET)(new Request(`http://localhost/webhook${query}`, request))));

const configuration = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (compatibilityDate = "2026-01-01", modules = [
    (name = "workers.mjs", esModule = embed "workers.mjs"), (name = "hailmark.wasm", wasm = embed "hailmark.wasm")]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]);
`;

// Wrangler bundles a Worker with esbuild and uploads the module next to it.
test("the Worker, in the runtime of Cloudflare", async () => {
  await build({ entryPoints: ["workers.mjs"], bundle: true, format: "esm", outdir: "worker", outExtension: { ".js": ".mjs" }, assetNames: "[name]", loader: { ".wasm": "copy" } });
  writeFileSync("worker/config.capnp", configuration);
  const runtime = spawn("node_modules/workerd/bin/workerd", ["serve", "--control-fd=3", "worker/config.capnp"], { stdio: ["ignore", "inherit", "inherit", "pipe"] });
  try {
    const [message] = await once(createInterface({ input: runtime.stdio[3] }), "line", { signal: AbortSignal.timeout(60_000) });
    const response = await fetch(`http://127.0.0.1:${JSON.parse(message).port}/jane.doe`);
    assert.equal(response.headers.get("Content-Type"), "image/png");
    assert.deepEqual(new Uint8Array(await response.arrayBuffer()).slice(0, 4), Uint8Array.of(0x89, 0x50, 0x4e, 0x47));
  } finally {
    runtime.kill();
  }
});
