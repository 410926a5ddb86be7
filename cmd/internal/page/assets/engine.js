// The two ways to compute: the module in the browser, and the API of the server.
// Both have the same functions. Those of the module return at once, and those of the API
// return promises. Errors have a list named problems.

/** Reports whether a server sent the page. The page as one file has none. */
export const hasServer = () => document.documentElement.dataset.server === "yes";

/**
 * Starts the module. If that fails, it returns the API, or undefined for a page without a
 * server.
 */
export async function openEngine() {
  try {
    if (document.documentElement.dataset.module === "") throw new Error("the server was built without the module");
    const { load } = await import("./hailmark.js");
    return moduleEngine(await load(await inlineModule()));
  } catch (reason) {
    return hasServer() ? apiEngine(reason) : undefined;
  }
}

/** Returns the module that is part of the page, or undefined. */
async function inlineModule() {
  const data = document.getElementById("module-data");
  if (!data) return undefined;
  const packed = Uint8Array.from(atob(data.textContent), (c) => c.charCodeAt(0));
  data.remove();
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/** Reads who a chat is with: a name has a letter or begins with @, and a number does not. */
export function targetOf(who) {
  who = who.trim();
  return who.startsWith("@") || /\p{L}/u.test(who) ? { kind: "username", value: who.replace(/^@/, "") } : { kind: "phone", value: who };
}

/** Reports whether a picture needs the layout for paper. */
export const isForPaper = (s) => s.unit === "mm" || s.caption !== "" || s.frame !== "" || s.logo !== undefined;

// CSS pixels, in which a picture with a caption, a frame or a logo is measured.
const pixelsPerInch = 96;

/**
 * Returns the options of package qrprint. A picture in pixels has the largest modules with
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

function moduleEngine(hailmark) {
  const { bsuid, busname, chatlink, contact, print, qrcode, webhooknorm } = hailmark;

  return {
    name: "module",
    version: hailmark.version,
    batch: hailmark.batch,
    labelNames: () => print.labelNames(),

    link(who, text) {
      let target = targetOf(who);
      if (/[:/]/.test(who)) {
        const link = chatlink.parseLink(who.trim());
        if (link.username) target = { kind: "username", value: link.username };
        else if (link.phone) target = { kind: "phone", value: link.phone };
        text ||= link.text ?? "";
      }
      if (target.kind === "phone") return { kind: "phone", value: chatlink.parsePhone(target.value), link: chatlink.buildPhoneLink(target.value, text), warnings: [] };
      return {
        kind: "username",
        value: busname.parse(target.value),
        link: chatlink.buildUsernameLink(target.value, text),
        short: hasServer() ? chatlink.shortLink(location.origin, target.value) : undefined,
        warnings: busname.warnings(target.value),
      };
    },

    // picture returns a file in a format, and its measures in the unit of the settings.
    picture(settings, format) {
      const { link, size, unit, color, bg } = settings;
      if (!isForPaper(settings) && format !== "pdf") {
        const bytes = qrcode.renderQR(link, { format, size, color, bg, title: link });
        return { bytes, width: size, height: size, warnings: qrcode.warnings({ color, bg }) };
      }
      if (unit === "px") qrcode.warnings({ size, color, bg }); // throws if the size is out of bounds
      const { file, width, height, module, warnings } = print.draw(paperCode(settings, print), format);
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
      return [
        attempt("link", () => ({ facts: chatlink.parseLink(input) })),
        attempt("bsuid", () => ({ facts: bsuid.parseAlphanumeric(input) })),
        attempt("phone", () => ({ facts: { phone: chatlink.parsePhone(input), link: chatlink.buildPhoneLink(input) } })),
        attempt("username", () => ({
          facts: { username: busname.parse(input.replace(/^@/, "")), link: chatlink.buildUsernameLink(input.replace(/^@/, "")) },
          warnings: busname.warnings(input.replace(/^@/, "")),
        })),
        attempt("key", () => ({ facts: { key: chatlink.parseKey(input) } })),
      ];
    },

    webhook: (payload) => webhooknorm.read(payload).events,
    address: (person) => contact.address(person),
  };
}

function apiEngine(reason) {
  async function request(path, parameters, options) {
    const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined && value !== ""));
    const response = await fetch(`/api/v1/${path}?${query}`, options);
    if (response.ok) return response;
    const { error } = await response.json();
    throw Object.assign(new Error(error.message), { problems: [error], retryAfter: Number(response.headers.get("Retry-After")) });
  }
  const get = async (path, parameters) => (await request(path, parameters)).json();
  const post = async (path, body) =>
    (await request(path, {}, { method: "POST", headers: { "Content-Type": "application/json" }, body: typeof body === "string" ? body : JSON.stringify(body) })).json();

  return {
    name: "api",
    reason,

    async link(who, text) {
      const target = targetOf(who);
      if (target.kind === "phone") {
        const { phone, link } = await get("phone-link", { phone: target.value, text });
        return { kind: "phone", value: phone, link, warnings: [] };
      }
      const { username, link, shortLink } = await get("username-link", { username: target.value, text });
      return { kind: "username", value: username, link, short: shortLink, warnings: [] };
    },

    async picture({ kind, value, text, size, color, bg }, format) {
      const response = await request("qr", { [kind]: value, text, format, size, color, bg });
      const isLight = response.headers.get("X-QR-Warning")?.includes("light-on-dark");
      const warnings = isLight ? [{ code: "light_on_dark", message: "the foreground is lighter than the background: many scanners read only dark codes on a light ground" }] : [];
      return { bytes: new Uint8Array(await response.arrayBuffer()), width: size, height: size, warnings };
    },

    async identify(input) {
      const name = input.replace(/^@/, "");
      const [username, key, phone, bsuid] = await Promise.all([
        get("validate/username", { username: name }),
        get("validate/key", { key: input }),
        get("validate/phone", { phone: input }),
        post("business/bsuid/validate", { bsuid: input }),
      ]);
      return [
        { kind: "bsuid", problems: bsuid.valid ? [] : [{ code: "invalid_bsuid", message: "this is not a BSUID" }], facts: bsuid.valid ? await post("business/bsuid/parse", { bsuid: input }) : undefined },
        { kind: "phone", problems: phone.errors, facts: { phone: input } },
        { kind: "username", problems: username.errors, facts: { username: name } },
        { kind: "key", problems: key.errors, facts: { key: input } },
      ];
    },

    webhook: async (payload) => (await post("business/webhook/normalize", payload)).events,

    // The rule of Person.Address in package contact.
    address({ bsuid, phone }) {
      if (phone) return { field: "to", value: phone };
      return bsuid ? { field: "recipient", value: bsuid } : undefined;
    },
  };
}
