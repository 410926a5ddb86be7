// The functions of Hailmark, which run in the WebAssembly module hailmark.wasm.
// index.d.ts describes them.
import { coreOf, data, loader, options, pick, text } from "./functions.js";

export { HailmarkError } from "./functions.js";

export const load = loader(() => new URL("./hailmark.wasm", import.meta.url), (call) =>
  Object.assign(coreOf(call), { contact: contact(call), webhooknorm: webhooknorm(call) }));

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
