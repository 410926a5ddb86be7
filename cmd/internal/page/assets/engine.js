// What the page does with the library, which runs in WebAssembly modules: core.wasm makes
// links and codes, and hailmark.wasm has all functions. Errors have a list named problems.
import { load } from "../../../wasm/npm/index.js";

const compile = (name) => WebAssembly.compileStreaming(fetch(new URL(name, import.meta.url)));

const policy = globalThis.trustedTypes?.createPolicy("worker", { createScriptURL: () => `${new URL("worker.js", import.meta.url)}` });

/** Starts the small module. Where the large one can't be loaded later, it calls failed with a function that tries again. */
export async function openEngine(failed) {
  return engineOf(await load(await compile("core.wasm")), failed);
}

/**
 * Reads who a chat is with. A link has letters and ":" or "/". A username has a letter or
 * begins with @, and a number does not, except for a label such as "tel:".
 */
export function targetOf(entry) {
  const who = entry.trim().replace(/^[\p{L} ]+:\s*(?=[+(\d])/u, "");
  if (who.startsWith("+") || !/[@\p{L}]/u.test(who)) return { kind: "phone", value: who };
  return /[:/]/.test(who) ? { kind: "link", value: who } : { kind: "username", value: who.replace(/^@/, "") };
}

/** Reports whether a image needs the layout for paper. */
export const isForPaper = (s) => s.unit === "mm" || s.caption !== "" || s.frame !== "" || s.logo !== undefined;

// CSS pixels, in which a image with a caption, a frame or a logo is measured.
const pixelsPerInch = 96;

/**
 * Returns the options of package qrprint. A image in pixels has the largest modules with
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

function engineOf({ bsuid, busname, chatlink, qrcode }, failed) {
  const country = (inspected) => (inspected.country ? `${inspected.country}, +${inspected.callingCode}` : "");
  let large; // the functions of the large module
  let module;
  let loading;

  return {
    hasMore: () => Boolean(large),

    /** Reports whether a image needs the large module, and it isn't there yet. */
    needsMore: (settings, format) => !large && (isForPaper(settings) || format === "pdf"),

    /** Calls a function once the large module is there. */
    more(then) {
      if (large) return then();
      document.documentElement.dataset.loading = "";
      loading ??= compile("hailmark.wasm").then(async (compiled) => {
        large = await load(compiled);
        module = compiled;
      }).finally(() => delete document.documentElement.dataset.loading);
      return loading.then(then, () => {
        loading = undefined;
        failed(() => this.more(then));
      });
    },

    /** Draws a table in a worker, which reports its progress and its result. Returns a function that stops it. */
    draw(input, options, report) {
      const worker = new Worker(policy?.createScriptURL("") ?? new URL("worker.js", import.meta.url), { type: "module" });
      worker.addEventListener("message", ({ data }) => report(data));
      worker.addEventListener("error", () => report({ problems: [{ code: "", message: "the script worker.js couldn't be loaded; check the network, then start again" }] }));
      worker.postMessage({ module, input, options });
      return () => worker.terminate();
    },

    /** Returns the link of the first row of a table that has one, or undefined. */
    firstLink(input, options) {
      const steps = large.batch.open(input, { output: "check", text: options.text });
      try {
        return steps.step(20).find(({ link }) => link)?.link;
      } finally {
        steps.close();
      }
    },

    labelNames: () => large.print.labelNames(),

    /** Returns the link in a text, or undefined if the text isn't one. */
    parseLink(who) {
      const target = targetOf(who);
      return target.kind === "link" ? chatlink.parseLink(target.value) : undefined;
    },

    /** Returns the link of what a person typed, with a text. Links that are not about one person stay as they are. */
    link(who, text) {
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
    },

    // Returns the bytes, the size in the unit of the settings, and warnings.
    picture(settings, format) {
      const { link, size, unit, color, bg } = settings;
      if (!isForPaper(settings) && format !== "pdf") {
        const bytes = qrcode.renderQR(link, { format, size, color, bg, title: link });
        return { bytes, width: size, height: size, warnings: qrcode.warnings({ color, bg }) };
      }
      if (unit === "px") qrcode.warnings({ size, color, bg }); // throws if the size is out of bounds
      const { file, width, height, module, warnings } = large.print.draw(paperCode(settings, large.print), format);
      const scale = unit === "px" ? pixelsPerInch / 25.4 : 1;
      return { bytes: file, width: width * scale, height: height * scale, module: unit === "mm" ? module : undefined, warnings };
    },

    identify(input) {
      const attempt = (kind, read) => {
        try {
          return { kind, problems: [], ...read() };
        } catch (error) {
          if (!Array.isArray(error?.problems)) throw error;
          return { kind, problems: error.problems };
        }
      };
      const name = input.replace(/^@/, "");
      return [
        attempt("link", () => ({ facts: chatlink.parseLink(input) })),
        attempt("bsuid", () => ({ facts: bsuid.parseAlphanumeric(input) })),
        attempt("phone", () => {
          const inspected = chatlink.inspectPhone(input);
          return { facts: { phone: inspected.phone, country: country(inspected), link: chatlink.buildPhoneLink(input) }, warnings: inspected.warnings };
        }),
        attempt("username", () => ({ facts: { username: busname.parse(name), link: chatlink.buildUsernameLink(name) }, warnings: busname.warnings(name) })),
        attempt("key", () => ({ facts: { key: chatlink.parseKey(input) } })),
      ];
    },

    webhook: (payload) => large.webhooknorm.read(payload),
    address: (person) => large.contact.address(person),
  };
}
