// The functions of Hailmark, which run in the WebAssembly module hailmark.wasm.
// index.d.ts describes them.
import { coreOf, data, loader, options, pick, text } from "./functions.js";

export { HailmarkError } from "./functions.js";

export const load = loader(() => new URL("./hailmark.wasm", import.meta.url), (call) =>
  Object.assign(coreOf(call), { batch: batch(call), contact: contact(call), print: print(call), webhooknorm: webhooknorm(call) }));

function batch(call) {
  const settings = ({ columns = {}, corrections = [], ...o } = {}) => [
    ...options(call, "batch", o), ...options(call, "columns", columns),
    corrections.length, ...corrections.flatMap(({ row, column, value }) => [row, text(column, "column"), text(value, "value")]),
  ];
  const result = (r) => {
    const { page, label, ...row } = r.object("row");
    return { ...row, ...(page > 0 && { page, label }), warnings: r.problems() };
  };
  return {
    guess: (input, { country = "" } = {}) =>
      call("batch.Guess", [data(input, "input"), text(country, "country")], (r) => {
        const [certain, noHeader] = [r.bool(), r.bool()];
        const columns = call.fields("columns").map(({ name }) => [name, r.int()]).filter(([, position]) => position > 0);
        return { certain, noHeader, columns: Object.fromEntries(columns.map(([name, position]) => [name, String(position)])) };
      }),
    rows: (input, n) => call("batch.Rows", [data(input, "input"), n], (r) => r.list(() => r.strings())),
    open(input, o) {
      const { number, rows } = call("batch.Open", [data(input, "input"), ...settings(o)], (r) => ({ number: r.int(), rows: r.int() }));
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

function contact(call) {
  const address = (r) => (r.bool() ? r.record("field", "value") : undefined);
  const person = (p) => pick(call, "person", p);
  return {
    address: (p) => call("contact.Person.Address", person(p), address),
    label: (p) => call("contact.Person.Label", person(p), (r) => r.string()),
    phoneAddress: (p) => call("contact.Person.PhoneAddress", person(p), address),
    requiresPhone: (otpType) => call("contact.RequiresPhone", [text(otpType, "otpType")], (r) => r.bool()),
    resolve: (identifier) => call("contact.Resolve", options(call, "identifier", identifier), (r) => r.object("contact")),
  };
}

function print(call) {
  const code = (c) => options(call, "code", c);
  const measures = (r) => ({ ...r.object("measures"), logoModules: [r.int(), r.int()], symbol: r.object("symbol"), warnings: r.problems() });
  const drawing = (r) => ({ ...measures(r), file: r.rest() });
  const draw = (c, format) => call("qrprint.Code.Page", [...code(c), 1, text(format, "format")], drawing);
  return {
    draw,
    inspect: (c) => call("qrprint.Code.Page", [...code(c), 0], measures),
    labels: () => call("qrprint.Labels", [], (r) => r.list(() => r.object("label"))),
    labelSheet: (c, o) => call("qrprint.Labels.Page", [...code(c), ...options(call, "labelOptions", o)], (r) => ({ warnings: r.problems(), file: r.rest() })),
    labelNames: () => call("qrprint.LabelNames", [], (r) => r.strings()),
    poster: (c, o, format) => call("qrprint.Poster.Page", [...code(c), ...options(call, "posterOptions", o), 1, text(format, "format")], drawing),
    render: (c, format) => draw(c, format).file,
  };
}

function webhooknorm(call) {
  return {
    challenge: (query, token) =>
      call("webhooknorm.Challenge", [text(query, "query").replace(/^\?/, ""), text(token, "token")], (r) => (r.bool() ? r.string() : undefined)),
    key: (event) => call("webhooknorm.Event.Key", pick(call, "eventKey", event), (r) => r.string()),
    normalize: (payload) => call("webhooknorm.Normalize", [data(payload, "payload")], (r) => r.json()).events,
    read: (payload) => call("webhooknorm.Read", [data(payload, "payload")], (r) => r.json()),
    verifySignature(payload, header, ...secrets) {
      if (secrets.length === 0) throw new TypeError("secret is missing: pass the app secret, as a string or bytes");
      return call("webhooknorm.VerifySignature", [data(payload, "payload"), text(header ?? "", "header"), secrets.length, ...secrets.map((s) => data(s, "secret"))], (r) => r.bool());
    },
  };
}
