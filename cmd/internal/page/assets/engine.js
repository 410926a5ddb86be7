// What the worker does with the library, which runs in WebAssembly modules: core.wasm makes
// links and codes, and hailmark.wasm has all functions. Errors have a list named problems.
import { isForPaper, place, plainOf, settingsOf } from "./fields.js";
import { maxBytes, peopleOf } from "./people.js";

const maxRows = 200; // that a table of the tab Check shows
const sample = "jane.doe";

/**
 * Reads who a chat is with. A link has letters and ":" or "/". A username has a letter or
 * begins with @, and a number does not, except for a label such as "tel:".
 */
export function targetOf(entry) {
  const who = entry.trim().replace(/^[\p{L} ]+:\s*(?=[+(\d])/u, "");
  if (who.startsWith("+") || !/[@\p{L}]/u.test(who)) return { kind: "phone", value: who };
  return /[:/]/.test(who) ? { kind: "link", value: who } : { kind: "username", value: who.replace(/^@/, "") };
}

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

// The smallest modules, in pixels, that stay readable when an image is shown smaller or sent by an application that compresses it.
const safePixels = 4;

/** Returns the warning for an image in pixels whose modules are too small, or nothing. */
export function denseOf(modules, size) {
  const pixels = Math.max(1, Math.floor(size / (modules + 8)));
  if (pixels >= safePixels) return [];
  const needed = safePixels * (modules + 8);
  return [{ field: "size", code: "small_module", message: `modules of ${pixels} pixels are not read by all scanners: make the image at least ${needed} pixels wide, or shorten the message` }];
}

// outlined returns an SVG with the edges of labels, in lines of a width in millimeters.
const outlined = (svg, boxes, line) =>
  svg.replace("</svg>", `${boxes.map(([x, y, width, height]) => `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="1.5" fill="none" stroke="#8a9691" stroke-width="${line}"/>`).join("")}</svg>`);

const noLink = {
  field: "bsuid", code: "bsuid_without_link",
  message: "this is a business-scoped user ID (BSUID), with which a business answers one person; no link opens a chat with it: enter a username or a phone number",
};

// The share of its width by which a code may differ from the wanted one without a warning.
const visible = 0.03;

/** Returns the functions of the worker for those of a module. */
export function engineOf({ batch, bsuid, busname, chatlink, contact, print, qrcode, webhooknorm }) {
  const country = (inspected) => (inspected.country ? `${inspected.country}, +${inspected.callingCode}` : "");

  // linkOf returns the link of what a person typed, with a text. Links that are not about one
  // person stay as they are.
  function linkOf(who, text) {
    if (attempt(() => bsuid.parseAlphanumeric(who.trim())).value) throw { problems: [noLink] };
    let target = targetOf(who);
    if (target.kind === "link") {
      const { kind, phone, username, code, link } = chatlink.parseLink(target.value);
      if (phone) target = { kind: "phone", value: phone };
      else if (username) target = { kind: "username", value: username };
      else {
        const ignored = { field: "text", code: "message_ignored", message: "this kind of link keeps its own text, so the message isn't used" };
        return { kind, value: code ?? kind, link, warnings: text === "" ? [] : [ignored] };
      }
    }
    if (target.kind === "phone") {
      const link = chatlink.buildPhoneLink(target.value, text);
      const inspected = chatlink.inspectPhone(target.value);
      return { kind: "phone", value: inspected.phone, link, country: country(inspected), warnings: inspected.warnings };
    }
    const link = chatlink.buildUsernameLink(target.value, text);
    return {
      kind: "username",
      value: target.value,
      link,
      short: chatlink.shortLink(location.origin, target.value) + new URL(link).search,
      warnings: busname.warnings(target.value),
    };
  }

  // suggestionOf returns the username that somebody probably meant who wrote an invalid one:
  // without accents and capitals, and with periods in place of spaces.
  function suggestionOf(who) {
    const { kind, value } = targetOf(who);
    if (kind !== "username") return undefined;
    const plain = value.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim();
    const candidates = [plain, plain.replace(/[\s-]+/g, "."), plain.replace(/[^a-z0-9._]/g, "")];
    return candidates.find((name) => name !== value && attempt(() => busname.parse(name)).value !== undefined);
  }

  // textOf returns the text of a link to a person, or "".
  function textOf(who) {
    const target = targetOf(who);
    const { value } = target.kind === "link" ? attempt(() => chatlink.parseLink(target.value)) : {};
    return value?.phone || value?.username ? (value.text ?? "") : "";
  }

  // imageOf returns the image's bytes, its size in the unit of the settings, and warnings.
  function imageOf(settings, format) {
    const { link, size, unit, color, bg } = settings;
    if (!isForPaper(settings) && format !== "pdf") {
      const bytes = qrcode.renderQR(link, { format, size, color, bg, title: link });
      return { bytes, width: size, height: size, warnings: [...qrcode.warnings({ color, bg }), ...denseOf(qrcode.encode(link).modules, size)] };
    }
    if (unit === "px") qrcode.warnings({ size, color, bg }); // throws if the size is out of bounds
    const drawn = print.draw(paperCode(settings, print), format);
    const { file, width, height, module, symbol } = drawn;
    const scale = unit === "px" ? pixelsPerInch / 25.4 : 1;
    const warnings = drawn.warnings.filter(({ code }) => code !== "print_width_rounded" || Math.abs(drawn.size / size - 1) > visible);
    if (unit === "px") warnings.push(...denseOf(symbol.modules, size));
    return { bytes: file, width: width * scale, height: height * scale, module: unit === "mm" ? module : undefined, warnings };
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

  const isPhone = (cell) => /^[+(\d][\d\s()./-]{6,}$/.test(cell);
  const isName = (cell) => attempt(() => busname.parse(cell.replace(/^@/, ""))).value !== undefined;

  // guessOf returns the columns, counted from 1, in which most cells are phone numbers or
  // usernames, and whether there is no row of names. If a table names its columns as the
  // library does, it returns nothing.
  function guessOf(rows) {
    const [first = []] = rows;
    if (first.some((cell) => /^(username|phone)$/i.test(cell.trim()))) return undefined;
    const body = rows.length > 1 ? rows.slice(1) : rows;
    const columnOf = (isGood, share, except) => {
      const counts = first.map((_, i) => (i + 1 === except ? 0 : body.filter((row) => row[i].trim() !== "" && isGood(row[i].trim())).length));
      const most = Math.max(0, ...counts);
      return most > share * body.length ? counts.indexOf(most) + 1 : 0;
    };
    const phone = columnOf(isPhone, 0);
    const username = columnOf(isName, 0.3, phone);
    const both = body.filter((row) => phone > 0 && username > 0 && isPhone(row[phone - 1].trim()) && isName(row[username - 1].trim())).length;
    const chosen = { username: both * 2 > body.length ? 0 : username, phone, text: 0 };
    const isPerson = (column, isGood) => column > 0 && isGood(first[column - 1].trim());
    return { ...chosen, noHeader: isPerson(phone, isPhone) || isPerson(chosen.username, (cell) => isName(cell) && /[.@_\d]/.test(cell)) };
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

  function identify(input) {
    const read = (kind, call) => {
      const { value, problems } = attempt(call);
      return { kind, problems, ...value };
    };
    const name = input.replace(/^@/, "");
    return [
      read("link", () => ({ facts: chatlink.parseLink(input) })),
      read("bsuid", () => ({ facts: bsuid.parseAlphanumeric(input) })),
      read("phone", () => {
        const inspected = chatlink.inspectPhone(input);
        return { facts: { phone: inspected.phone, country: country(inspected), link: chatlink.buildPhoneLink(input) }, warnings: inspected.warnings };
      }),
      read("username", () => ({ facts: { username: busname.parse(name), link: chatlink.buildUsernameLink(name) }, warnings: busname.warnings(name) })),
      read("key", () => ({ facts: { key: chatlink.parseKey(input) } })),
    ];
  }

  function read(payload) {
    const { events, changes, handovers } = webhooknorm.read(payload);
    const people = peopleOf({ events, changes }, contact.address);
    for (const { events: indexes, name, username, phone, bsuid } of people) {
      for (const index of indexes) events[index].who = name || (username && `@${username}`) || phone || bsuid;
    }
    const table = (rows) => ({ all: rows.length, rows: rows.slice(0, maxRows).map(({ raw, conversationContext, events, ...row }) => row) });
    return { people: table(people), changes: table(changes), handovers: table(handovers), events: table(events) };
  }

  return {
    picture: imageOf,

    /**
     * Returns the view of an entry: its link and picture, and the problems and warnings of its
     * fields. Only a view without problems has a code, which is what can be saved. The text of
     * a link in the entry becomes the message, unless the person has written one.
     */
    one({ who, text, linkText, settings, found, hasMore }) {
      const own = textOf(who);
      if (own !== linkText && (text === "" || text === linkText)) text = own;
      const view = { message: text, linkText: own, isEmpty: who.trim() === "", problems: [...found], warnings: [] };
      if (!view.isEmpty) {
        const { value, problems } = attempt(() => linkOf(who, text));
        view.problems.push(...place(problems));
        view.warnings.push(...place(value?.warnings ?? []));
        view.link = value;
        if (view.problems.some(({ field }) => field === "who") && !view.problems.some(({ code }) => code === noLink.code)) view.suggestion = suggestionOf(who);
      }
      view.isWaiting = isForPaper(settings) && !hasMore;
      const shown = view.link ?? attempt(() => linkOf(who, "")).value ?? linkOf(sample, "");
      const look = view.isWaiting ? { ...settings, ...plainOf("px"), color: settings.color, bg: settings.bg } : settings;
      view.picture = draw({ ...look, ...shown }, view);
      if (view.link && view.picture && !view.isWaiting && view.problems.length === 0) view.code = { ...settings, ...view.link };
      return view;
    },

    /**
     * Returns the view of a table's look: a picture of the code of the first row that has a
     * link, or of a sample, with the problems and warnings of the fields. Names of other rows
     * may fit where that of this row doesn't, so such a caption is no problem, but a warning.
     * With labels, there is also a picture of the sheet.
     */
    preview(input, { text, caption, columns, noHeader, sheet, ...settings }, found) {
      const link = attempt(() => firstLink(input, { output: "check", text, columns, noHeader })).value ?? linkOf(sample, "").link;
      const name = new URL(link).pathname.replace(/^\/(?=\d)/, "+").replace(/^\//, "@");
      const view = { problems: [...found], warnings: [] };
      view.picture = draw({ ...settings, link, caption: caption.replaceAll("{name}", name) }, view, sheet ? (s) => sheetOf(s, sheet) : imageOf);
      const isOfRow = (p) => p.field === "caption" && caption.includes("{name}");
      return { ...view, problems: view.problems.filter((p) => !isOfRow(p)), warnings: [...view.problems.filter(isOfRow), ...view.warnings] };
    },

    /** Returns the first rows of a table, and what its columns are likely to be if their names don't say so. */
    columns(input) {
      const rows = attempt(() => batch.rows(input, 20)).value ?? [];
      return { rows: rows.slice(0, 3), guess: guessOf(rows) };
    },

    labels: () => print.labels(),

    /** Returns what a value is, or what the first rows of a webhook contain. A webhook needs the large module. */
    check(bytes, hasMore) {
      const input = new TextDecoder().decode(bytes).trim();
      const problem = (code, message) => ({ problems: [{ code, message }] });
      if (bytes.length > maxBytes) return problem("body_too_large", "the webhook is larger than 4 MiB");
      if (!/^[[{]/.test(input)) {
        if (input.includes("{")) return problem("json_surrounded", "the text contains JSON, but begins with something else; paste only the JSON, from its first brace to its last");
        if (/^wamid\./.test(input)) return problem("message_id", "this is the ID of a message; it doesn't identify a person");
        return { input, found: input === "" ? [] : identify(input) };
      }
      return hasMore ? { webhook: read(input) } : { needsMore: true };
    },
  };
}
