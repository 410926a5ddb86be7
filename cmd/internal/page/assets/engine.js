// What the worker does with the library, which runs in WebAssembly modules: core.wasm makes
// links and codes, and page.wasm has all functions of the page. Errors have a list named problems.
import { isForPaper, place, plainOf, settingsOf } from "./fields.js";

const sample = "jane.doe";

// CSS pixels, in which an image with a caption, a frame or a logo is measured.
const pixelsPerInch = 96;

/**
 * Returns the options of package qrprint. An image in pixels has the largest modules with
 * which the code and its quiet zone are not wider than the size.
 */
export function paperCode({ link, size, unit, color, bg, caption, frame, logo, dpi }, print) {
  const code = { text: link, caption, frame, color, bg };
  if (logo) code.logo = logo;
  if (unit === "mm") return { ...code, size, dpi };
  const { symbol } = print.inspect({ text: link, logo, size: 500 }); // texts do not change the symbol
  const pixels = Math.max(1, Math.floor(size / (symbol.modules + 8)));
  return { ...code, module: (pixels * 25.4) / pixelsPerInch, dpi: pixelsPerInch };
}

// attempt returns the value of a call, or its problems.
function attempt(call) {
  try {
    return { value: call(), problems: [] };
  } catch (error) {
    if (!Array.isArray(error?.problems)) throw error;
    return { problems: error.problems };
  }
}

// isNational reports whether an entry may contain a number that lacks its country code.
const isNational = (who) => /^[^@+]*\p{Nd}[^@+]*$/u.test(who) && !who.includes("://") && !who.trim().startsWith("00") && (!/\p{L}/u.test(who) || /(\p{Nd}\P{L}*){6}/u.test(who));

// outlined returns an SVG with the edges of labels, in lines of a width in millimeters.
const outlined = (svg, boxes, line) =>
  svg.replace("</svg>", `${boxes.map(([x, y, width, height]) => `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="1.5" fill="none" stroke="#8a9691" stroke-width="${line}"/>`).join("")}</svg>`);

const posterDPI = 300;

// The share of its width by which a code may differ from the wanted one without a warning.
const visible = 0.03;

/** Returns the functions of the worker for those of a module. */
export function engineOf({ batch, busname, chatlink, print, qrcode }) {
  // linkOf returns the link of what a person typed, with a text. Numbers without a country code are
  // those of a country. Links that aren't about one person stay as they are.
  function linkOf(who, text, home = "") {
    const target = chatlink.parseTarget(who, home);
    const { kind, phone, username, warnings } = target;
    if (kind === "phone") {
      return { kind, value: phone, link: chatlink.buildPhoneLink(phone, text), ...countryOf(phone), warnings };
    }
    if (kind === "username") {
      const link = chatlink.buildUsernameLink(username, text);
      return { kind, value: username, link, short: `${location.origin}/@${username}${new URL(link).search}`, warnings };
    }
    return { kind, value: target.code ?? phone ?? kind, link: target.link, warnings: ignored(text) };
  }

  function countryOf(phone) {
    const { countryName: country, countryCode, callingCode } = chatlink.inspectPhone(phone);
    return country ? { country, countryCode, callingCode } : {};
  }

  const ignored = (text) =>
    (text === "" ? [] : [{ field: "text", code: "message_ignored", message: "this kind of link keeps its own text, so the message isn't used" }]);

  // textOf returns the text of a link to a person, or "".
  function textOf(who) {
    const { value } = attempt(() => chatlink.parseTarget(who));
    return value?.kind === "phone" || value?.kind === "username" ? (value.text ?? "") : "";
  }

  // imageOf returns the image's bytes, its size in the unit of the settings, and warnings.
  function imageOf(settings, format) {
    const { link, size, unit, color, bg } = settings;
    if (settings.product !== "code") return posterOf(settings, format);
    if (!isForPaper(settings) && format !== "pdf") {
      const bytes = qrcode.renderQR(link, { format, size, color, bg, title: link });
      return { bytes, width: size, height: size, warnings: qrcode.scan(link, { size, color, bg }).warnings };
    }
    if (unit === "px") qrcode.scan(link, { size, color, bg }); // throws if the size is out of bounds
    const drawn = print.draw(paperCode(settings, print), format);
    const { file, width, height, module } = drawn;
    const scale = unit === "px" ? pixelsPerInch / 25.4 : 1;
    const warnings = drawn.warnings.filter(({ code }) => code !== "print_width_rounded" || Math.abs(drawn.size / size - 1) > visible);
    return { bytes: file, width: width * scale, height: height * scale, module: unit === "mm" ? module : undefined, warnings };
  }

  // posterOf is imageOf for a poster or a table tent.
  function posterOf({ link, color, bg, caption, frame, logo, product, paper, heading, footer }, format) {
    const code = { text: link, color, bg, caption, frame, ...(logo && { logo }), ...(format === "png" && { dpi: posterDPI }) };
    const { file, width, height, warnings } = print.poster(code, { paper, heading, footer, tent: product === "tent" }, format);
    return { bytes: file, width, height, warnings };
  }

  // sheetOf returns a sheet of labels with the code on the first free one, and that label alone.
  function sheetOf({ link, color, bg, caption, frame, logo, dpi }, sheet) {
    const code = { text: link, color, bg, caption, frame, dpi, ...(logo && { logo }) };
    const { file, warnings } = print.labelSheet(code, sheet);
    const labels = print.labels().find(({ name }) => name === sheet.labels);
    const boxes = Array.from({ length: labels.columns * labels.rows }, (_, i) => [
      labels.left + sheet.offsetX + (i % labels.columns) * labels.pitchX, labels.top + sheet.offsetY + Math.floor(i / labels.columns) * labels.pitchY, labels.width, labels.height,
    ]);
    const svg = new TextDecoder().decode(file);
    const bytes = (text) => new TextEncoder().encode(text);
    const [x, y, width, height] = boxes[sheet.start - 1];
    const margin = 1; // millimeters around the label
    const box = [x - margin, y - margin, width + 2 * margin, height + 2 * margin];
    const label = outlined(svg, boxes.slice(sheet.start - 1, sheet.start), 0.3);
    return {
      bytes: bytes(label.replace(/width="[^"]*" height="[^"]*" viewBox="[^"]*"/, `width="${box[2]}mm" height="${box[3]}mm" viewBox="${box.join(" ")}"`)),
      sheet: bytes(outlined(svg, boxes, 0.8)), warnings,
    };
  }

  // firstLink returns the link of the first good row among the first twenty.
  function firstLink(input, options) {
    const steps = batch.open(input, options);
    try {
      return steps.step(20).find((row) => row.link)?.link;
    } finally {
      steps.close();
    }
  }

  // draw draws a code, and adds the problems and warnings of its look to a view. A field with
  // a problem is drawn as if nobody had filled it in, so that the problems of the others are
  // found, too. The result is only an illustration if there are problems.
  function draw(settings, view, image = imageOf) {
    const drawn = { ...settings };
    for (const changed = new Set(); ;) {
      const { value, problems } = attempt(() => image(drawn, "svg"));
      const placed = place(value?.warnings ?? problems, drawn);
      if (value) {
        view.warnings.push(...placed);
        return value;
      }
      const news = placed.filter(({ field }) => !changed.has(field));
      view.problems.push(...news);
      const fields = news.map(({ field }) => field).filter((field) => settingsOf[field]);
      if (fields.length === 0) return undefined;
      for (const field of fields) {
        changed.add(field);
        for (const name of settingsOf[field]) drawn[name] = plainOf(drawn.unit)[name];
      }
    }
  }

  // lightOf says whether the code of a view will scan. Problems of other fields don't matter.
  const lightOf = ({ problems, warnings }) => (problems.some(({ field }) => ["color", "size", "logo"].includes(field)) ? "red" : qrcode.light(warnings));

  return {
    picture: imageOf,

    /**
     * Returns the view of an entry: its link and picture, and the problems and warnings of its
     * fields. Only a view without problems has a code, which is what can be saved. The text of
     * a link in the entry becomes the message, unless the person has written one.
     */
    one({ who, text, home, linkText, settings, found, hasMore }) {
      const own = textOf(who);
      if (own !== linkText && (text === "" || text === linkText)) text = own;
      const view = { message: text, linkText: own, isEmpty: who.trim() === "", problems: [...found], warnings: [] };
      if (!view.isEmpty) {
        const { value, problems } = attempt(() => linkOf(who, text, home));
        view.problems.push(...place(problems.map((p) => ({ ...p, field: p.field ?? "link" }))));
        if (!value && !problems.some(({ field }) => field === "text")) view.problems.push(...place(attempt(() => linkOf(sample, text)).problems));
        view.isNational = isNational(who);
        view.warnings.push(...place(value?.warnings ?? []));
        view.link = value;
        if (!value || value.warnings.length > 0) view.suggestions = chatlink.suggest(who, home).filter(({ link }) => link !== value?.link);
      }
      view.isWaiting = isForPaper(settings) && !hasMore;
      const shown = view.link ?? attempt(() => linkOf(who, "", home)).value ?? linkOf(sample, "");
      const look = view.isWaiting ? { ...settings, ...plainOf("px"), color: settings.color, bg: settings.bg } : settings;
      view.picture = draw({ ...look, ...shown }, view);
      view.light = lightOf(view);
      if (view.link && view.picture && !view.isWaiting && view.problems.length === 0) view.code = { ...settings, ...view.link };
      return view;
    },

    /**
     * Returns the view of a table's look: a picture of the code of the first row that has a
     * link, or of a sample, with the problems and warnings of the fields. Names of other rows
     * may fit where that of this row doesn't, so such a caption is no problem, but a warning.
     * With labels, there is also a picture of the sheet.
     */
    preview(input, { text, caption, country, columns, noHeader, corrections, sheet, ...settings }, known) {
      const link = attempt(() => firstLink(input, { output: "check", text, country, columns, noHeader, corrections })).value ?? linkOf(sample, "").link;
      const name = new URL(link).pathname.replace(/^\/(?=\d)/, "+").replace(/^\//, "@");
      const view = { problems: [...known], warnings: [] };
      view.picture = draw({ ...settings, link, caption: caption.replaceAll("{name}", name) }, view, sheet ? (s) => sheetOf(s, sheet) : imageOf);
      const isOfRow = (p) => p.field === "caption" && caption.includes("{name}");
      const found = { ...view, problems: view.problems.filter((p) => !isOfRow(p)), warnings: [...view.problems.filter(isOfRow), ...view.warnings] };
      return { ...found, light: lightOf(found) };
    },

    /** Returns the first rows of a table, and what its columns probably are. */
    columns(input, home) {
      const { value } = attempt(() => ({ rows: batch.rows(input, 100).slice(0, 3), guess: batch.guess(input, { country: home }) }));
      return value ?? { rows: [] };
    },

    countries: () => chatlink.countries(),

    labels: () => print.labels(),
  };
}
