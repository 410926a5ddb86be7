// The functions of Hailmark, which run in the WebAssembly module hailmark.wasm.
// index.d.ts describes them.
import { start } from "./module.js";

/** One or several things that are wrong with a value. */
export class HailmarkError extends Error {
  constructor(problems) {
    const [first, ...others] = problems;
    super(first.message + (others.length > 0 ? ` (and ${others.length} more)` : ""));
    this.name = "HailmarkError";
    this.code = first.code;
    this.problems = problems;
  }
}

export async function load(source) {
  const call = await start(source, (problems) => new HailmarkError(problems));
  const textFunction = (name, label) => (value) => call(name, [text(value, label)], (r) => r.string());
  return deepFreeze({
    get version() {
      return call("calls.Version", [], (r) => r.string());
    },
    batch: batch(call),
    bsuid: bsuid(call),
    busname: {
      parse: textFunction("busname.Parse", "username"),
      reasons: (name) => call("busname.Reasons", [text(name, "username")], (r) => r.list(() => r.string())),
      validate: (name) => call("busname.Validate", [text(name, "username")], (r) => r.problems()),
      warnings: (name) => call("busname.Warnings", [text(name, "username")], (r) => r.problems()),
    },
    chatlink: {
      buildPhoneLink: (phone, message = "") => call("chatlink.BuildPhoneLink", [text(phone, "phone"), text(message, "text")], (r) => r.string()),
      buildUsernameLink: (name, message = "") =>
        call("chatlink.BuildUsernameLink", [text(name, "username"), text(message, "text")], (r) => r.string()),
      inspectPhone: (phone) =>
        call("phone.Inspect", [text(phone, "phone")], (r) => ({ ...r.record("phone", "callingCode", "country", "region"), warnings: r.problems() })),
      get notice() {
        return call("chatlink.DefaultNotice", [], (r) => r.string());
      },
      parseKey: textFunction("chatlink.ParseKey", "key"),
      parseLink: (link) => call("chatlink.ParseLink", [text(link, "link")], (r) => r.record("kind", "phone", "username", "code", "text", "link")),
      parsePhone: textFunction("phone.Parse", "phone"),
      parsePhoneDigits: textFunction("phone.ParseDigits", "phone"),
      parseShortPath: (path) => call("chatlink.ParseShortPath", [text(path, "path")], (r) => r.string() || undefined),
      samePhone: (a, b) => call("phone.Number.Same", [text(a, "phone"), text(b, "phone")], (r) => r.bool()),
      shortLink: (baseURL, name) => call("chatlink.BaseURL.ShortLink", [text(baseURL, "baseURL"), text(name, "username")], (r) => r.string()),
    },
    contact: contact(call),
    print: print(call),
    qrcode: qrcode(call),
    webhooknorm: webhooknorm(call),
  });
}

const columns = ["username", "phone", "text", "file", "color", "background", "caption"];

function batch(call) {
  const options = ({ columns: names = {}, ...o } = {}) => {
    const flags = fields(o, {
      output: "", format: "", labels: "", start: 0, border: false, offsetX: 0, offsetY: 0, padding: 0, host: "", text: "", encoding: "", separator: "",
      noHeader: false, size: 0, minLevel: "", margin: 4, color: "", bg: "", mm: 0, module: 0, dpi: 0, bleed: 0, caption: "", frame: "",
      logo: new Uint8Array(), logoShare: 0,
    }, ["offsetX", "offsetY", "padding", "mm", "module", "bleed", "logoShare"]);
    flags.splice(13, 0, ...fields(names, Object.fromEntries(columns.map((name) => [name, ""]))));
    return flags;
  };
  const result = (r) => {
    const [row, status, page, label] = [r.int(), r.string(), r.int(), r.int()];
    return { row, status, ...(page > 0 && { page, label }), ...r.record("file", "link", "column", "value", "code", "message"), warnings: r.problems() };
  };
  return {
    rows: (input, n) => call("batch.Rows", [data(input, "input"), n], (r) => r.list(() => r.list(() => r.string()))),
    open(input, o) {
      const { number, rows } = call("batch.Open", [data(input, "input"), ...options(o)], (r) => ({ number: r.int(), rows: r.int() }));
      return Object.freeze({
        rows,
        step(n) {
          if (!Number.isInteger(n) || n < 1) throw new TypeError("n isn't a whole number above 0");
          return call("batch.Step", [number, Math.min(n, rows + 1)], (r) => r.list(() => result(r)));
        },
        finish: () =>
          call("batch.Finish", [number], (r) => ({
            counts: { ok: r.int(), failed: r.int(), skipped: r.int() }, file: r.bytes(), reportCSV: r.bytes(), reportNDJSON: r.bytes(),
          })),
        close: () => call("batch.Close", [number], () => undefined),
      });
    },
  };
}

function bsuid(call) {
  const parts = (r) => ({ countryCode: r.string(), id: r.string(), isParent: r.bool(), countryKnown: r.bool() });
  return {
    isBSUID: (s) => call("bsuid.IsBSUID", [text(s, "bsuid")], (r) => r.bool()),
    parseAlphanumeric: (s) => call("bsuid.ParseAlphanumeric", [text(s, "bsuid")], parts),
    parseBSUID: (s) => call("bsuid.ParseBSUID", [text(s, "bsuid")], parts),
  };
}

function contact(call) {
  const address = (r) => (r.bool() ? r.record("field", "value") : undefined);
  const person = (p) => ["bsuid", "parentBsuid", "phone", "username", "displayName"].map((name) => text(p[name] ?? "", name));
  return {
    address: (p) => call("contact.Person.Address", person(p), address),
    label: (p) => call("contact.Person.Label", person(p), (r) => r.string()),
    phoneAddress: (p) => call("contact.Person.PhoneAddress", person(p), address),
    requiresPhone: (otpType) => call("contact.RequiresPhone", [text(otpType, "otpType")], (r) => r.bool()),
    resolve: (identifier) =>
      call("contact.Resolve", fields(identifier, { bsuid: "", phone: "", username: "" }), (r) => ({
        type: r.string(), id: r.string(), phoneKnown: r.bool(), bsuidKnown: r.bool(),
      })),
  };
}

function qrcode(call) {
  const options = (o) => fields(o, { format: "", size: 0, minLevel: "", margin: 4, title: "", color: "", bg: "" });
  const textFunction = (name, label) => (value) => call(name, [text(value, label)], (r) => r.string());
  return {
    encode: (s, o) => call("qrcode.Encode", [text(s, "text"), ...fields(o, { minVersion: 1, minLevel: "" })], (r) => ({ ...symbol(r), grid: r.bytes() })),
    parseBackground: textFunction("qrcode.ParseBackground", "bg"),
    parseColor: textFunction("qrcode.ParseColor", "color"),
    parseFormat: textFunction("qrcode.ParseFormat", "format"),
    renderQR: (s, o) => call("qrcode.RenderQR", [text(s, "text"), ...options(o)], (r) => r.rest()),
    warnings: (o) => call("qrcode.Warnings", options(o), (r) => r.problems()),
  };
}

const symbol = (r) => ({ version: r.int(), level: r.string(), mask: r.int(), modules: r.int() });

function print(call) {
  const code = (c) =>
    fields(c, {
      text: "", size: 0, module: 0, dpi: 0, minLevel: "", margin: 4, caption: "", frame: "", logo: new Uint8Array(), logoShare: 0,
      color: "", bg: "", title: "", bleed: 0,
    }, ["size", "module", "logoShare", "bleed"]);
  const measures = (r) => ({
    width: r.float(), height: r.float(), warnings: r.problems(), symbol: symbol(r), x: r.float(), y: r.float(), module: r.float(), size: r.float(),
    dots: r.int(), logoModules: [r.int(), r.int()],
  });
  const draw = (c, format) => call("qrprint.Code.Page", [...code(c), 1, text(format, "format")], (r) => ({ ...measures(r), file: r.rest() }));
  return {
    draw,
    inspect: (c) => call("qrprint.Code.Page", [...code(c), 0], measures),
    labels: () =>
      call("qrprint.Labels", [], (r) => r.list(() => ({
        name: r.string(), paper: r.string(), columns: r.int(), rows: r.int(),
        width: r.float(), height: r.float(), left: r.float(), top: r.float(), pitchX: r.float(), pitchY: r.float(),
      }))),
    labelSheet: (c, o) =>
      call("qrprint.Labels.Page", [...code(c).slice(0, -2), ...fields(o, { labels: "", start: 1, border: false, offsetX: 0, offsetY: 0 }, ["offsetX", "offsetY"])], (r) => ({ warnings: r.problems(), file: r.rest() })),
    labelNames: () => call("qrprint.LabelNames", [], (r) => r.list(() => r.string())),
    render: (c, format) => draw(c, format).file,
  };
}

function webhooknorm(call) {
  const identity = (r) => r.record("bsuid", "parentBsuid", "phone");
  const errors = (r) => {
    const list = r.list(() => {
      const code = r.int();
      return { ...(code !== 0 && { code }), ...r.record("title", "message", "details") };
    });
    return list.length > 0 ? { errors: list } : {};
  };
  const events = (r) =>
    r.list(() => {
      const event = r.record(
        "kind", "field", "bsuid", "phone", "username", "displayName", "parentBsuid", "sharedPhone", "groupId", "messageId", "replyTo", "target", "type", "state",
        "timestamp", "accountId", "phoneNumberId", "businessPhone",
      );
      if (r.bool()) event.standby = true;
      Object.assign(event, errors(r));
      if (r.bool()) event.conversationContext = r.raw();
      return { ...event, raw: r.raw() };
    });
  const change = (r) => ({
    previous: identity(r), current: identity(r), ...r.record("phone", "messageId", "timestamp", "phoneNumberId", "businessPhone"), event: r.int(), raw: r.raw(),
  });
  const handover = (r) => ({
    person: identity(r), ...r.record("previousOwner", "newOwner", "previousAppId", "metadata", "timestamp", "phoneNumberId", "businessPhone"), event: r.int(), raw: r.raw(),
  });
  const other = (r) => ({ ...r.record("field", "accountId", "timestamp", "phoneNumberId", "businessPhone"), ...errors(r), raw: r.raw() });
  const keyFields = ["kind", "bsuid", "phone", "messageId", "state", "timestamp", "phoneNumberId"];
  return {
    challenge: (query, token) =>
      call("webhooknorm.Challenge", [text(query, "query").replace(/^\?/, ""), text(token, "token")], (r) => (r.bool() ? r.string() : undefined)),
    key: (event) => call("webhooknorm.Event.Key", [event.standby === true ? 1 : 0, ...keyFields.map((name) => text(event[name] ?? "", name))], (r) => r.string()),
    normalize: (payload) => call("webhooknorm.Normalize", [data(payload, "payload")], events),
    read: (payload) =>
      call("webhooknorm.Read", [data(payload, "payload")], (r) => ({ events: events(r), changes: r.list(() => change(r)), handovers: r.list(() => handover(r)), others: r.list(() => other(r)) })),
    verifySignature(payload, header, ...secrets) {
      if (secrets.length === 0) throw new TypeError("secret is missing: pass the app secret, as a string or bytes");
      return call("webhooknorm.VerifySignature", [data(payload, "payload"), text(header ?? "", "header"), secrets.length, ...secrets.map((s) => data(s, "secret"))], (r) => r.bool());
    },
  };
}

function text(value, name) {
  if (typeof value !== "string") throw new TypeError(`${name} is of type ${typeof value}; it must be a string`);
  return value;
}

// data returns a string, or the bytes of a buffer.
function data(value, name) {
  if (typeof value === "string") return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (Object.prototype.toString.call(value) === "[object ArrayBuffer]") return new Uint8Array(value);
  throw new TypeError(`${name} is of type ${typeof value}; it must be a string or bytes`);
}

// fields returns the fields of an object in the order of their defaults. A field that is
// undefined has its default. The numbers of those named in lengths may have fractions.
function fields(object = {}, defaults, lengths = []) {
  if (object === null || typeof object !== "object") throw new TypeError("options aren't an object");
  for (const name of Object.keys(object)) {
    if (!Object.hasOwn(defaults, name)) throw new TypeError(`there is no option ${name}; the options are ${Object.keys(defaults).join(", ")}`);
  }
  return Object.entries(defaults).map(([name, standard]) => {
    const value = object[name] ?? standard;
    if (name === "color" || name === "bg") return text(value, name).replace(/^#/, ""); // as <input type=color> has it
    if (typeof standard === "string") return text(value, name);
    if (typeof standard === "boolean") {
      if (typeof value !== "boolean") throw new TypeError(`${name} is of type ${typeof value}; it must be true or false`);
      return Number(value);
    }
    if (typeof standard !== "number") return value !== standard && value.byteLength === 0 ? "\0" : data(value, name); // an empty file isn't a missing one
    if (typeof value !== "number") throw new TypeError(`${name} is of type ${typeof value}; it must be a number`);
    if (lengths.includes(name)) return new Float64Array([value]);
    if (!Number.isInteger(value)) throw new TypeError(`${name} isn't a whole number`);
    return Math.max(-0x80000000, Math.min(value, 0x7fffffff));
  });
}

function deepFreeze(object) {
  for (const { value } of Object.values(Object.getOwnPropertyDescriptors(object))) {
    if (typeof value === "object") deepFreeze(value);
  }
  return Object.freeze(object);
}
