// The page's functions of the library, which run in page.wasm: those of the npm package for links and
// codes, and those for tables and paper, which need more of the library than other programs ask for.
import { coreOf, data, loader, options, text } from "../../../wasm/npm/functions.js";

export const load = loader(undefined, (call) => Object.assign(coreOf(call), { batch: batch(call), print: print(call) }));

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
