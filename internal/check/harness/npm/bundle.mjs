// Bundles a small program with each bundler, and runs the bundle. Prints the name of each
// that works.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { build as esbuild } from "esbuild";
import { build as vite, createServer } from "vite";
import webpack from "webpack";

import { load } from "hailmark";

const program = (source) => `
  import { load } from "hailmark";
  ${source.startsWith("new") ? "" : `import address from "${source}";`}
  const { chatlink } = await load(${source.startsWith("new") ? "" : "new URL(address, import.meta.url)"});
  console.log(chatlink.buildUsernameLink("jane.doe"));
`;

function check(name, file) {
  assert.equal(execFileSync(process.execPath, [file], { encoding: "utf8" }), "https://wa.me/jane.doe\n", name);
  console.log(name);
}

const folder = (name, files) => {
  mkdirSync(name, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(name, file), text);
  return join(process.cwd(), name);
};

// esbuild leaves the address in index.js as it is, so the module is imported as a file.
{
  const root = folder("esbuild", { "main.mjs": program("hailmark/hailmark.wasm") });
  await esbuild({ entryPoints: [join(root, "main.mjs")], bundle: true, format: "esm", loader: { ".wasm": "file" }, outfile: join(root, "out/main.mjs"), logLevel: "error" });
  check("esbuild", join(root, "out/main.mjs"));
}

// webpack finds the address in index.js.
for (const target of ["web", "node"]) {
  const root = folder(`webpack-${target}`, { "main.mjs": program("new URL") });
  const stats = await new Promise((resolve, reject) => {
    webpack(
      {
        mode: "production", performance: false, target: [target, "es2022"], entry: join(root, "main.mjs"), experiments: { outputModule: true },
        output: { path: join(root, "out"), filename: "main.mjs", module: true, chunkFormat: "module", publicPath: "auto" },
      },
      (error, stats) => (error ? reject(error) : resolve(stats)),
    );
  });
  assert.equal(stats.hasErrors() || stats.hasWarnings(), false, stats.toString());
  if (target === "node") check("webpack", join(root, "out/main.mjs"));
  else assert.equal(readdirSync(join(root, "out")).filter((name) => name.endsWith(".wasm")).length, 1);
}

// Vite builds either form, and its development server serves the second.
for (const [name, source] of [["vite build", "new URL"], ["vite build with ?url", "hailmark/hailmark.wasm?url"]]) {
  const root = folder(name.replaceAll(/\W/g, "-"), { "main.js": program(source), "index.html": `<script type="module" src="/main.js"></script>`, "package.json": `{"type":"module"}` });
  await vite({ root, base: "./", logLevel: "error", build: { target: "es2022", modulePreload: false, assetsInlineLimit: 0 } });
  const assets = join(root, "dist/assets");
  check(name, join(assets, readdirSync(assets).find((file) => file.endsWith(".js"))));
}
{
  const root = folder("vite-dev", { "main.js": program("hailmark/hailmark.wasm?url"), "index.html": `<script type="module" src="/main.js"></script>` });
  const server = await createServer({ root, logLevel: "error", server: { port: 0, host: "127.0.0.1", fs: { strict: false } }, optimizeDeps: { noDiscovery: true } });
  await server.listen();
  try {
    const base = `http://127.0.0.1:${server.httpServer.address().port}`;
    const get = async (path) => {
      const response = await fetch(new URL(path, base));
      assert.equal(response.status, 200, path);
      return response;
    };
    const main = await (await get("/main.js")).text();
    const address = main.match(/from "([^"]*hailmark\.wasm[^"]*)"/)[1];
    const source = await (await get(address)).text();
    const { chatlink } = await load(await get(source.match(/export default "([^"]*)"/)[1]));
    assert.equal(chatlink.buildUsernameLink("jane.doe"), "https://wa.me/jane.doe");
    const index = await (await get(main.match(/from "([^"]*hailmark\/index\.js[^"]*)"/)[1])).text();
    assert.match(await (await get(index.match(/from "([^"]*hailmark\/functions\.js[^"]*)"/)[1])).text(), /buildUsernameLink/);
    console.log("vite dev");
  } finally {
    await server.close();
  }
}
