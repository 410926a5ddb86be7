// What the worker does with the library, which runs in WebAssembly modules: core.wasm makes
// links and codes, and hailmark.wasm has all functions. Errors have a list named problems.
import { fieldOf, isForPaper, settingsOf } from "./look.js";
import { maxBytes, peopleOf } from "./people.js";

const maxRows = 200; // that a table of the tab Check shows

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

const isAboutText = ({ code }) => code.startsWith("text_");

/** Returns the functions of the worker for those of a module. */
export function engineOf({ batch, bsuid, busname, chatlink, contact, print, qrcode, webhooknorm }) {
  const country = (inspected) => (inspected.country ? `${inspected.country}, +${inspected.callingCode}` : "");

  // linkOf returns the link of what a person typed, with a text. Links that are not about one
  // person stay as they are.
  function linkOf(who, text) {
    let target = targetOf(who);
    if (target.kind === "link") {
      const { kind, phone, username, code, link } = chatlink.parseLink(target.value);
      if (phone) target = { kind: "phone", value: phone };
      else if (username) target = { kind: "username", value: username };
      else {
        const ignored = { code: "message_ignored", message: "this kind of link keeps its own text, so the message isn't used" };
        return { kind, value: code ?? kind, link, warnings: [], messageWarnings: text === "" ? [] : [ignored] };
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
      return { bytes, width: size, height: size, warnings: qrcode.warnings({ color, bg }) };
    }
    if (unit === "px") qrcode.warnings({ size, color, bg }); // throws if the size is out of bounds
    const { file, width, height, module, warnings } = print.draw(paperCode(settings, print), format);
    const scale = unit === "px" ? pixelsPerInch / 25.4 : 1;
    return { bytes: file, width: width * scale, height: height * scale, module: unit === "mm" ? module : undefined, warnings };
  }

  // draw draws a link. Where the look has problems, it adds them to those found, and takes
  // the last good settings.
  function draw(settings, good, found) {
    for (;;) {
      const { value, problems } = attempt(() => imageOf(settings, "svg"));
      if (value) return { ...settings, picture: value };
      found.message.push(...problems.filter(isAboutText));
      found.look.push(...problems.filter((p) => !isAboutText(p)));
      const bad = problems.flatMap((p) => settingsOf[fieldOf(p)]).filter((name) => settings[name] !== good[name]);
      if (bad.length === 0) return undefined;
      for (const name of bad) settings[name] = good[name];
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
     * Returns the link and the code of an entry. A problem of an optional field never removes
     * them: its last good value stays in use. The text of a link in the entry becomes the
     * message, unless the person has written one. Without settings, nothing is drawn.
     */
    one({ who, text, linkText, settings, good }) {
      const found = { who: [], message: [], look: [] };
      const own = textOf(who);
      if (own !== linkText && (text === "" || text === linkText)) text = own;
      const message = text;
      let link;
      if (who.trim() !== "") {
        let { value, problems } = attempt(() => linkOf(who, text));
        found.message = problems.filter(isAboutText);
        found.who = problems.filter((p) => !isAboutText(p));
        if (!value && found.who.length === 0) value = linkOf(who, (text = good.text));
        link = value;
      }
      const drawn = link && settings && draw({ ...settings, ...link, text }, good, found);
      return { found, link, drawn, message, linkText: own };
    },

    /** Draws the code of the first row of a table that has a link, or a sample. */
    preview(input, { text, caption, ...settings }) {
      const { value } = attempt(() => {
        const steps = batch.open(input, { output: "check", text });
        try {
          return steps.step(20).find((row) => row.link)?.link;
        } finally {
          steps.close();
        }
      });
      const link = value ?? linkOf("jane.doe", "").link;
      const name = new URL(link).pathname.replace(/^\/(?=\d)/, "+").replace(/^\//, "@");
      return imageOf({ ...settings, link, caption: caption.replaceAll("{name}", name) }, "svg");
    },

    labelNames: () => print.labelNames(),

    /** Returns what a value is, or what the first rows of a webhook contain. A webhook needs the large module. */
    check(bytes, hasMore) {
      const input = new TextDecoder().decode(bytes).trim();
      const problem = (code, message) => ({ problems: [{ code, message }] });
      if (bytes.length > maxBytes) return problem("body_too_large", "the webhook must have at most 4 MiB");
      if (!/^[[{]/.test(input)) {
        if (input.includes("{")) return problem("json_surrounded", "the text contains JSON, but begins with something else; paste only the JSON, from its first brace to its last");
        if (/^wamid\./.test(input)) return problem("message_id", "this is the ID of a message; it doesn't identify a person");
        return { input, found: input === "" ? [] : identify(input) };
      }
      return hasMore ? { webhook: read(input) } : { needsMore: true };
    },
  };
}
