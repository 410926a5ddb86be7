// The page's side of the worker, in which the library runs, so that the page can react.

const compile = (name) => WebAssembly.compileStreaming(fetch(new URL(name, import.meta.url)));
const policy = globalThis.trustedTypes?.createPolicy("worker", { createScriptURL: () => `${new URL("worker.js", import.meta.url)}` });
const startWorker = () => new Worker(policy?.createScriptURL("") ?? new URL("worker.js", import.meta.url), { type: "module" });

/** Starts the worker with the small module. Where the large one can't be loaded later, it calls failed with a function that tries again. */
export async function openEngine(failed) {
  const state = document.documentElement.dataset;
  const worker = startWorker();
  const waiting = new Map(); // calls by their numbers
  let last = 0;
  let large; // the large module, once the worker uses it
  let loading;

  worker.addEventListener("message", ({ data: { id, value, error } }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) delete state.busy;
    if (error) reject(error);
    else resolve(value);
  });

  /** Calls a function of the worker. Its errors have a list named problems. */
  function ask(name, ...args) {
    state.busy = "";
    return new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      worker.postMessage({ id: last, name, args });
    });
  }

  const broken = new Promise((_, reject) => worker.addEventListener("error", reject));
  try {
    await Promise.race([broken, compile("core.wasm").then((module) => ask("load", module))]);
  } catch (error) {
    worker.terminate();
    throw error;
  }
  return {
    ask,
    hasMore: () => Boolean(large),

    /** Reports whether a format needs the large module, and it isn't there yet. */
    needsMore: (format) => !large && format === "pdf",

    /** Calls a function once the large module is there. */
    more(then) {
      if (large) return then();
      state.loading = "";
      loading ??= compile("hailmark.wasm").then(async (module) => {
        await ask("load", module);
        large = module;
      }).finally(() => delete state.loading);
      return loading.then(then, () => {
        loading = undefined;
        failed(() => this.more(then));
      });
    },

    /** Draws a table in a worker of its own, which reports its progress and its result. Returns a function that stops it. */
    draw(input, options, report) {
      const batch = startWorker();
      batch.addEventListener("message", ({ data }) => report(data));
      batch.addEventListener("error", () => report({ error: { problems: [{ field: "worker", code: "worker", message: "the script worker.js couldn't be loaded; check the network, then start again" }] } }));
      batch.postMessage({ name: "batch", args: [large, input, options] });
      return () => batch.terminate();
    },
  };
}

/** Returns a function that calls another one, but returns undefined if it's called again before the result is there. */
export function latest(call) {
  let turn = 0;
  return async (...args) => {
    const mine = ++turn;
    try {
      const value = await call(...args);
      return mine === turn ? value : undefined;
    } catch (error) {
      if (mine === turn) throw error;
      return undefined;
    }
  };
}
