// Starts a WebAssembly module and calls its functions. The comment of
// cmd/wasm/main.go in the repository describes the exports of the module, and the comment of
// package calls the encoding of values.

const isWellFormed = (s) => s.isWellFormed?.() ?? !/\p{Surrogate}/u.test(s);
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

// The size up to which the module keeps the buffer of the arguments.
const maxKept = 1 << 20;

// enter calls an export of the module. All calls pass through it, because V8 must not inline
// them: Node 20.20.2 (V8 11.3) was seen to crash (SIGSEGV) in optimized code after some dozens
// of batches, but not with --no-turbo-inline-js-wasm-calls. V8 inlines a call only if it has
// seen few functions at the place of the call, so the loop shows it several there. It begins
// to record them only after some calls, so the loop makes many.
const enter = (f, a, b) => f(a, b);
const others = [() => 0, () => 1, () => 2, () => 3, () => 4];
for (let i = 0; i < 1000; i++) enter(others[i % others.length]);

/** Starts a module. Returns a function that calls one of its functions, and calls stopped if the module stops. */
export async function start(source, errorOf, stopped) {
  const module = await compile(await source);
  const host = new Host();
  const imports = { wasi_snapshot_preview1: host.wasi, hailmark: { normalize: host.normalize } };
  const numbers = new Map();
  let exports;
  let location;
  let address = 0;
  let capacity = 0;
  let broken;

  function open(instance) {
    ({ exports } = instance);
    if (typeof exports.call !== "function") throw new Error("this is not the module of this package");
    host.memory = exports.memory;
    exports._initialize();
    location = exports.result();
  }

  // The start needs random numbers. Cloudflare Workers has none outside of a request, so
  // there the first call starts the module.
  if (hasRandom()) open(await WebAssembly.instantiate(module, imports));

  // put writes the arguments, and returns their length.
  function put(values) {
    let bound = 0;
    for (const v of values) bound += typeof v === "string" ? 4 + 3 * v.length : v instanceof Uint8Array ? 4 + v.length : 8;
    if (bound > capacity || capacity > maxKept) {
      capacity = Math.max(bound, 4096);
      address = enter(exports.reserve, capacity) >>> 0;
    }
    const { bytes, view } = host.views();
    let at = address;
    for (const v of values) {
      if (typeof v === "number") {
        view.setInt32(at, v, true);
        at += 4;
      } else if (v instanceof Float64Array) {
        view.setFloat64(at, v[0], true);
        at += 8;
      } else {
        const length = putBytes(v, bytes.subarray(at + 4, address + capacity));
        view.setUint32(at, length, true);
        at += 4 + length;
      }
    }
    return at - address;
  }

  function invoke(name, values) {
    let number = numbers.get(name);
    if (number === undefined) {
      number = enter(exports.function, put([name]));
      if (number < 0) throw new Error(`hailmark.wasm is of another version: it has no function ${name}`);
      numbers.set(name, number);
    }
    return enter(exports.call, number, put(values));
  }

  // lists returns the fields of the objects between the module and JavaScript, by the objects' names.
  let known;
  function lists() {
    known ??= new Map(call("calls.Fields", [], (r) => r.list(() => [r.string(), r.list(() => ({ name: r.string(), kind: r.string() }))])));
    return known;
  }

  call.fields = (name) => lists().get(name);

  function call(name, values, read) {
    if (broken) throw broken;
    if (!exports) open(new WebAssembly.Instance(module, imports));
    if (name !== "calls.Fields") lists(); // now, because a result is valid only until the next call
    let status;
    try {
      status = invoke(name, values);
    } catch (cause) {
      if (!(cause instanceof WebAssembly.RuntimeError || cause instanceof Exit)) throw cause;
      broken = new Error("the WebAssembly module has stopped, for example because memory ran out: load it again", { cause: host.cause(cause) });
      stopped?.();
      throw broken;
    }
    const { bytes, view } = host.views();
    const reader = new Reader(bytes, view, view.getUint32(location, true), view.getUint32(location + 4, true), known);
    switch (status) {
      case 0:
        return read(reader);
      case 1:
        throw errorOf(reader.problems());
      case 2:
        throw errorOf([{ code: "", message: reader.string() }]);
      default:
        throw new Error(`error in hailmark.wasm, please report it: ${reader.string()}`);
    }
  }

  return call;
}

function hasRandom() {
  try {
    crypto.getRandomValues(new Uint8Array(1));
    return true;
  } catch {
    return false;
  }
}

// putBytes writes a value, and returns its length in bytes. An unpaired surrogate, which isn't
// a character, becomes a byte that isn't UTF-8.
function putBytes(value, to) {
  if (typeof value !== "string") {
    to.set(value);
    return value.length;
  }
  if (isWellFormed(value)) return encoder.encodeInto(value, to).written;
  let length = 0;
  for (const character of value) {
    if (isWellFormed(character)) length += encoder.encodeInto(character, to.subarray(length)).written;
    else to[length++] = 0xff;
  }
  return length;
}

// A Reader reads the values of a result in order.
class Reader {
  constructor(bytes, view, start, length, lists) {
    Object.assign(this, { data: bytes, view, at: start, end: start + length, lists });
  }

  int() {
    this.at += 4;
    return this.view.getInt32(this.at - 4, true);
  }

  float() {
    this.at += 8;
    return this.view.getFloat64(this.at - 8, true);
  }

  bool() {
    return this.int() !== 0;
  }

  bytes() {
    const length = this.int();
    this.at += length;
    return this.data.slice(this.at - length, this.at);
  }

  rest() {
    return this.data.slice(this.at, this.end);
  }

  string() {
    const length = this.int();
    this.at += length;
    return length === 0 ? "" : decoder.decode(this.data.subarray(this.at - length, this.at));
  }

  list(read) {
    return Array.from({ length: this.int() }, read);
  }

  strings() {
    return this.list(() => this.string());
  }

  // object reads an object with the fields that the module names. It omits empty strings.
  object(name) {
    const object = {};
    for (const field of this.lists.get(name)) {
      const value = field.kind === "text" ? this.string() : this[field.kind]();
      if (value !== "") object[field.name] = value;
    }
    return object;
  }

  // record reads strings into an object, which omits empty ones.
  record(...names) {
    const object = {};
    for (const name of names) {
      const value = this.string();
      if (value !== "") object[name] = value;
    }
    return object;
  }

  problems() {
    return this.list(() => {
      const problem = { ...this.record("field"), code: this.string(), message: this.string() };
      const suggestions = this.strings();
      return suggestions.length > 0 ? { ...problem, suggestions } : problem;
    });
  }

  // json reads the rest as JSON.
  json() {
    return JSON.parse(decoder.decode(this.data.subarray(this.at, this.end)));
  }
}

async function compile(source) {
  if (source instanceof WebAssembly.Module || Object.prototype.toString.call(source) === "[object WebAssembly.Module]") return source;
  if (typeof source === "string") source = new URL(source, base());
  if (source instanceof URL) {
    if (source.protocol === "file:" && files()) return WebAssembly.compile(files().readFileSync(source));
    const node = globalThis.process?.versions?.node;
    if (source.protocol === "file:" && node) throw new Error(`this is Node ${node}; hailmark needs Node 20.16, 22.3 or later`);
    source = await fetch(source);
  }
  if (typeof Response !== "undefined" && source instanceof Response) {
    if (!source.ok) throw new Error(`${source.url || "the response"} has the status ${source.status}`);
    const isWasm = source.headers.get("Content-Type")?.toLowerCase() === "application/wasm";
    if (isWasm && WebAssembly.compileStreaming) return WebAssembly.compileStreaming(source);
    source = await source.arrayBuffer();
  }
  return WebAssembly.compile(source);
}

// files returns the file system of Node, or undefined elsewhere.
const files = () => globalThis.process?.getBuiltinModule?.("node:fs");

const base = () =>
  globalThis.document?.baseURI ?? globalThis.location?.href ?? globalThis.process?.getBuiltinModule?.("node:url").pathToFileURL(`${process.cwd()}/`);

class Exit extends Error {}

// The errors of WASI (errno).
const badFile = 8;
const success = 0;

// A Host is what the module needs of WASI preview 1: a clock, random numbers, and the
// standard error, which has the message of a fatal error. There are no files.
class Host {
  memory;
  #bytes;
  #view;
  #message = "";

  // views returns the memory of the module. They are valid until the next call, in which
  // the memory may grow.
  views() {
    if (this.#bytes?.buffer !== this.memory.buffer) {
      this.#bytes = new Uint8Array(this.memory.buffer);
      this.#view = new DataView(this.memory.buffer);
    }
    return { bytes: this.#bytes, view: this.#view };
  }

  cause(error) {
    return this.#message === "" ? error : new Error(this.#message, { cause: error });
  }

  #zeros = (first, second) => {
    this.views().view.setUint32(first, 0, true);
    this.views().view.setUint32(second, 0, true);
    return success;
  };

  // normalize writes the normal form C of a text, and returns its length.
  normalize = (start, length, to) => {
    const { bytes } = this.views();
    return encoder.encodeInto(decoder.decode(bytes.subarray(start, start + length)).normalize("NFC"), bytes.subarray(to)).written;
  };

  wasi = {
    args_get: () => success,
    args_sizes_get: this.#zeros,
    environ_get: () => success,
    environ_sizes_get: this.#zeros,
    clock_time_get: (id, _precision, to) => {
      const milliseconds = id === 0 ? Date.now() : performance.now();
      this.views().view.setBigUint64(to, BigInt(Math.round(milliseconds * 1e6)), true);
      return success;
    },
    random_get: (to, length) => {
      const { bytes } = this.views();
      for (let i = 0; i < length; i += 65536) crypto.getRandomValues(bytes.subarray(to + i, to + Math.min(i + 65536, length)));
      return success;
    },
    fd_write: (_file, parts, count, written) => {
      const { bytes, view } = this.views();
      let total = 0;
      for (let i = 0; i < count; i++) {
        const start = view.getUint32(parts + 8 * i, true);
        const length = view.getUint32(parts + 8 * i + 4, true);
        if (this.#message.length < 2000) this.#message += decoder.decode(bytes.subarray(start, start + length));
        total += length;
      }
      view.setUint32(written, total, true);
      return success;
    },
    poll_oneoff: (_in, _out, count, written) => {
      this.views().view.setUint32(written, count, true);
      return success;
    },
    sched_yield: () => success,
    proc_exit: (status) => {
      throw new Exit(`exit status ${status}`);
    },
    fd_close: () => badFile,
    fd_fdstat_get: () => badFile,
    fd_fdstat_set_flags: () => badFile,
    fd_prestat_dir_name: () => badFile,
    fd_prestat_get: () => badFile,
    fd_read: () => badFile,
  };
}
