// The functions of both modules, and what they have in common.
import { start } from "./module.js";

/** The problems with a value. */
export class HailmarkError extends Error {
  constructor(problems) {
    const [first, ...others] = problems;
    super(first.message + (others.length > 0 ? ` (and ${others.length} more)` : ""));
    this.name = "HailmarkError";
    this.code = first.code;
    this.problems = problems;
  }
}

// open starts a module, and returns functions, frozen, that use it. It calls stopped if the module stops.
async function open(source, functionsOf, stopped) {
  const call = await start(source, (problems) => new HailmarkError(problems), stopped);
  return deepFreeze(functionsOf(call));
}

/**
 * Returns the function load of a package. Without a source, all its callers share one module, which
 * is the file at a URL, until it stops or can't be loaded.
 */
export function loader(url, functionsOf) {
  let shared;
  return (source) => {
    if (source?.fresh === true) return open(url(), functionsOf);
    if (source !== undefined) return open(source, functionsOf);
    if (shared) return shared;
    const mine = open(url(), functionsOf, () => forget());
    const forget = () => {
      if (shared === mine) shared = undefined;
    };
    shared = mine;
    mine.catch(forget);
    return mine;
  };
}

/** Returns the functions of the small module, which the large one has, too. */
export function coreOf(call) {
  const textFunction = (name, label) => (value) => call(name, [text(value, label)], (r) => r.string());
  const country = (value) => text(value, "country");
  return {
    get version() {
      return call("calls.Version", [], (r) => r.string());
    },
    bsuid: {
      isBSUID: (s) => call("bsuid.IsBSUID", [text(s, "bsuid")], (r) => r.bool()),
      parseBSUID: (s) => call("bsuid.ParseBSUID", [text(s, "bsuid")], (r) => r.object("bsuid")),
    },
    busname: {
      parse: textFunction("busname.Parse", "username"),
      validate: (name) => call("busname.Validate", [text(name, "username")], (r) => r.problems()),
      validateBusiness: (name) => call("busname.ValidateBusiness", [text(name, "username")], (r) => r.problems()),
      warnings: (name) => call("busname.Warnings", [text(name, "username")], (r) => r.problems()),
    },
    chatlink: {
      buildPhoneLink: (phone, message = "") => call("chatlink.BuildPhoneLink", [text(phone, "phone"), text(message, "text")], (r) => r.string()),
      buildUsernameLink: (name, message = "") =>
        call("chatlink.BuildUsernameLink", [text(name, "username"), text(message, "text")], (r) => r.string()),
      countries: () => call("phone.Countries", [], (r) => r.strings()),
      inspectPhone: (phone) => call("phone.Inspect", [text(phone, "phone")], (r) => ({ ...r.object("phoneInspection"), warnings: r.problems() })),
      parseKey: textFunction("chatlink.ParseKey", "key"),
      parseLink: (link) => call("chatlink.ParseLink", [text(link, "link")], (r) => r.object("link")),
      parsePhone: textFunction("phone.Parse", "phone"),
      parsePhoneDigits: textFunction("phone.ParseDigits", "phone"),
      parsePhoneIn: (phone, code) => call("phone.ParseIn", [text(phone, "phone"), country(code)], (r) => r.string()),
      parseTarget: (target, code = "") => call("chatlink.ParseTarget", [text(target, "target"), country(code)], (r) => ({ ...r.object("target"), warnings: r.problems() })),
      suggest: (s, code = "") => call("chatlink.Suggest", [text(s, "text"), country(code)], (r) => r.list(() => r.object("target"))),
      samePhone: (a, b) => call("phone.Number.Same", [text(a, "phone"), text(b, "phone")], (r) => r.bool()),
    },
    qrcode: qrcode(call),
  };
}

function qrcode(call) {
  const textFunction = (name, label) => (value) => call(name, [text(value, label)], (r) => r.string());
  return {
    encode: (s, o) => call("qrcode.Encode", [text(s, "text"), ...options(call, "encodeOptions", o)], (r) => ({ ...r.object("symbol"), grid: r.bytes() })),
    parseBackground: textFunction("qrcode.ParseBackground", "bg"),
    parseColor: textFunction("qrcode.ParseColor", "color"),
    parseFormat: textFunction("qrcode.ParseFormat", "format"),
    renderQR: (s, o) => call("qrcode.RenderQR", [text(s, "text"), ...options(call, "qrOptions", o)], (r) => r.rest()),
    light: (warnings) => call("qrcode.VerdictOf", [warnings.map(({ code }) => code).join(" ")], (r) => r.string()),
    scan: (s, o) => call("qrcode.CheckText", [text(s, "text"), ...options(call, "qrOptions", o)], (r) => ({ light: r.string(), sentence: r.string(), warnings: r.problems() })),
  };
}

/** Returns an argument that must be a string. */
export function text(value, name) {
  if (typeof value !== "string") throw new TypeError(`${name} is of type ${typeof value}; it must be a string`);
  return value;
}

/** Returns a string, or the bytes of a buffer. */
export function data(value, name) {
  if (typeof value === "string") return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (Object.prototype.toString.call(value) === "[object ArrayBuffer]") return new Uint8Array(value);
  throw new TypeError(`${name} is of type ${typeof value}; it must be a string or bytes`);
}

/** Returns an object as an argument. The module knows its fields, and ignores undefined and null. */
export function options(call, name, object = {}) {
  if (object === null || typeof object !== "object") throw new TypeError("options aren't an object");
  const fields = call.fields(name);
  for (const option of Object.keys(object)) {
    if (!fields.some((field) => field.name === option)) throw new TypeError(`there is no option ${option}; the options are ${fields.map((field) => field.name).join(", ")}`);
  }
  return pick(call, name, object);
}

/** As options, for an object that may have other fields. */
export function pick(call, name, object) {
  const set = [];
  call.fields(name).forEach((field, i) => {
    const value = object[field.name] ?? undefined;
    if (value !== undefined) set.push(i, valueOf(field, value));
  });
  return [set.length / 2, ...set];
}

function valueOf({ name, kind }, value) {
  switch (kind) {
    case "text":
      return text(value, name);
    case "bytes":
      return data(value, name);
    case "bool":
      if (typeof value !== "boolean") throw new TypeError(`${name} is of type ${typeof value}; it must be true or false`);
      return Number(value);
    default:
      if (typeof value !== "number") throw new TypeError(`${name} is of type ${typeof value}; it must be a number`);
      if (kind === "float") return new Float64Array([value]);
      if (!Number.isInteger(value)) throw new TypeError(`${name} isn't a whole number`);
      return Math.max(-0x80000000, Math.min(value, 0x7fffffff));
  }
}

function deepFreeze(object) {
  for (const { value } of Object.values(Object.getOwnPropertyDescriptors(object))) {
    if (typeof value === "object") deepFreeze(value);
  }
  return Object.freeze(object);
}
