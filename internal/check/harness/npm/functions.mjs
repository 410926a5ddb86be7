// The functions of the npm package by the names that the files of test vectors give them.
// Runs in Node and in browsers.
import { readPNG, symbolOf } from "./picture.mjs";

/** Returns the functions of a loaded module. Each takes the input of a vector. */
export function functionsOf(hailmark) {
  const { bsuid, busname, chatlink, contact, qrcode, webhooknorm } = hailmark;
  return {
    "bsuid.ParseBSUID": bsuid.parseBSUID,
    "busname.Parse": busname.parse,
    "chatlink.BuildPhoneLink": ({ phone, text }) => chatlink.buildPhoneLink(phone, text),
    "chatlink.BuildUsernameLink": ({ username, text }) => chatlink.buildUsernameLink(username, text),
    "chatlink.ParseKey": chatlink.parseKey,
    "chatlink.ParseLink": (link) => {
      const { link: _, ...parts } = chatlink.parseLink(link);
      return parts;
    },
    "phone.Parse": chatlink.parsePhone,
    "phone.ParseDigits": chatlink.parsePhoneDigits,
    "contact.Person.Address": (person) => ({
      field: "", value: "", ...contact.address(person), phone: contact.phoneAddress(person) !== undefined, label: contact.label(person),
    }),
    "contact.Resolve": contact.resolve,
    "qrcode.ParseFormat, ParseColor and ParseBackground": ({ name, value }) => {
      const parsers = { format: qrcode.parseFormat, color: qrcode.parseColor, bg: qrcode.parseBackground };
      return parsers[name] ? parsers[name](value) : undefined; // the size is a number here
    },
    "qrcode.RenderQR": async ({ text, repeat, size, ...options }) => {
      const content = (text ?? "").repeat(repeat ?? 1);
      const picture = qrcode.renderQR(content, { ...options, size: size === undefined ? undefined : Number(size) });
      if (options.format === "svg") {
        const { modules, grid } = qrcode.encode(content);
        return symbolOf(modules, (x, y) => grid[y * modules + x] === 1);
      }
      return readPNG(picture);
    },
    "webhooknorm.Challenge": ({ query, token }) => {
      const challenge = webhooknorm.challenge(query, token);
      return { challenge: challenge ?? "", ok: challenge !== undefined };
    },
    "webhooknorm.Normalize": (input) => webhooknorm.normalize(payloadOf(input)),
    "webhooknorm.Read": (input) => webhooknorm.read(payloadOf(input)),
    "webhooknorm.VerifySignature": ({ payload, header, secrets = [] }) =>
      secrets.length > 0 && webhooknorm.verifySignature(payload ?? "", header ?? "", ...secrets), // without a secret, the package throws a TypeError
  };
}

// payloadOf returns the payload of a vector: JSON, a text, or bytes in hexadecimal.
function payloadOf({ payload, text, hex }) {
  if (payload !== undefined) return JSON.stringify(payload);
  return text ?? Uint8Array.from(hex.match(/../g) ?? [], (digits) => parseInt(digits, 16));
}

/** Calls a function with the input of a vector. Returns output, codes or unsupported. */
export async function answer(functions, name, input) {
  if (!functions[name]) return { unsupported: true };
  try {
    const output = await functions[name](input);
    return output === undefined ? { unsupported: true } : { output };
  } catch (error) {
    if (!error.problems) throw error;
    return { codes: error.problems.map((p) => p.code) };
  }
}
