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
import { POST } from "./next.mjs";

process.env.APP_SECRET = "app-secret";
// Parsing and serializing this body changes its bytes.
const body = '{"entry": [{"changes":[{"value":{"metadata":{"phone_number_id":"42"},"messages":[{"from":"16505551234","id":"wamid.\\u0041","text":{"body":"Hi"}}]}}]}]}';
const signed = { "Content-Type": "application/json", "X-Hub-Signature-256": `sha256=${createHmac("sha256", "app-secret").update(body).digest("hex")}` };

async function assertReads(send) {
  const response = await send({ method: "POST", headers: signed, body });
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), ["message:42:wamid.A"]);
  for (const other of [{ body: `${body} ` }, { headers: { "Content-Type": "application/json" } }]) {
    assert.equal((await send({ method: "POST", headers: signed, body, ...other })).status, 401);
  }
}

test("Express", async () => {
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await assertReads((request) => fetch(`http://127.0.0.1:${server.address().port}/webhook`, request));
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test("the handler of Next.js", () => assertReads((request) => POST(new Request("http://localhost/webhook", request))));

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
