// The page's side of the worker, in which the library runs, so that the page can react.

const compile = (name) => WebAssembly.compileStreaming(fetch(new URL(name, import.meta.url)));
const scripts = { worker: "worker.js", offline: "../offline.js" };
const policy = globalThis.trustedTypes?.createPolicy("worker", { createScriptURL: (name) => `${new URL(scripts[name], import.meta.url)}` });
const scriptURL = (name) => policy?.createScriptURL(name) ?? new URL(scripts[name], import.meta.url);
const startWorker = () => new Worker(scriptURL("worker"), { type: "module" });

/**
 * Starts the service worker, if the server has one. It loads all files of the page, so it should
 * start after the first code, and not for people who save data. Without one, for example in a private
 * window, the page only needs the network.
 */
export function startOffline() {
  if (!navigator.connection?.saveData && document.querySelector("meta[name=offline]")) navigator.serviceWorker?.register(scriptURL("offline"), { scope: "/" }).catch(() => {});
}

/**
 * Starts the worker with the small module. The engine can be asked at once, and answers when the
 * module is there. Where a module can't be loaded, it calls failed with a function that tries again.
 */
export function openEngine(failed) {
  const state = document.documentElement.dataset;
  const waiting = new Map(); // calls by their numbers
  let worker;
  let last = 0;
  let large; // the large module, once the worker uses it
  let loading;
  let opened;
  const ready = new Promise((resolve) => (opened = resolve));

  function receive({ data: { id, value, error } }) {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) delete state.busy;
    if (error) reject(error);
    else resolve(value);
  }

  function post(name, ...args) {
    state.busy = "";
    return new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      worker.postMessage({ id: last, name, args });
    });
  }

  async function open() {
    worker = startWorker();
    worker.addEventListener("message", receive);
    const broken = new Promise((_, reject) => worker.addEventListener("error", reject));
    try {
      await Promise.race([broken, compile("core.wasm").then((module) => post("load", module))]);
    } catch {
      worker.terminate();
      waiting.clear();
      delete state.busy;
      state.engine = "none";
      failed(open);
      return;
    }
    state.engine = "module";
    opened();
  }

  /** Calls a function of the worker. Its errors have a list named problems. */
  const ask = async (name, ...args) => {
    await ready;
    return post(name, ...args);
  };

  return {
    ask,

    /** Ends when the module is there, or can't be loaded. */
    tried: open(),

    hasMore: () => Boolean(large),

    /** Reports whether a format needs the large module, and it isn't there yet. */
    needsMore: (format) => !large && format === "pdf",

    /** Calls a function once the large module is there. */
    more(then) {
      if (large) return then();
      state.loading = "";
      loading ??= ready.then(() => compile("page.wasm")).then(async (module) => {
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
