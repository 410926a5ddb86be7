// A client that was written for the interface specification. Only its base address depends on the
// server.
const base = process.argv[2];

async function call(path, { query, body } = {}) {
  const response = await fetch(base + path + (query ? "?" + new URLSearchParams(query) : ""), body && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error((await response.json()).error.code);
  return response;
}


// Calls every endpoint with the function call, and prints what it got.
async function show(name, options, describe) {
  try {
    const response = await call("/api/v1/" + name, options);
    console.log(name, await describe(response));
  } catch (error) {
    console.log(name, error.message);
  }
}

const json = (describe) => async (response) => describe(await response.json());
const picture = (start) => async (response) => response.headers.get("Content-Type") + " " + (await response.text()).includes(start);

// A client may name optional parameters and leave them empty.
await show("username-link", { query: { username: "jane.doe", key: "aB3d", text: "" } }, json((r) => r.link + " " + r.key));
await show("phone-link", { query: { phone: "+1 (650) 555-1234" } }, json((r) => r.link));
await show("validate/username", { query: { username: "Jane" } }, json((r) => r.errors[0].code));
await show("validate/key", { query: { key: "aB3d" } }, json((r) => r.valid));
await show("validate/phone", { query: { phone: "0650" } }, json((r) => r.errors[0].code));
await show("qr", { query: { username: "jane.doe", size: 256 } }, picture("PNG"));
await show("qr", { query: { phone: "16505551234", format: "svg" } }, picture("<svg"));
await show("openapi.json", {}, json((r) => r.openapi));
await show("business/bsuid/validate", { body: { bsuid: "US.13491208655302741918" } }, json((r) => r.valid));
await show("business/bsuid/parse", { body: { bsuid: "US.ENT.11815799212886844830" } }, json((r) => r.countryCode + " " + r.id));
await show("business/username/validate", { body: { username: "Jane" } }, json((r) => r.reasons[0]));
await show("business/contact/resolve", { body: { username: "jane.doe", phone: undefined } }, json((r) => r.id));

const value = { messages: [{ from: "16505551234", from_user_id: "US.1", id: "wamid.1" }] };
await show("business/webhook/normalize", { body: { entry: [{ changes: [{ field: "messages", value }] }] } },
  json((r) => [r.events[0].kind, r.events[0].bsuid, r.events[0].phone].join(" ")));

await show("username-link", { query: { username: "a" } }, json(() => ""));
await show("qr", {}, json(() => ""));
await show("business/webhook/normalize", { body: { entry: [] } }, json(() => ""));
