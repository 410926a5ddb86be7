// A receiver in JavaScript without dependencies. The environment variable WAY is how it finds contacts: one of five
// common ways that go wrong, or "right". It prints its URL.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { WAY, GRAPH, SECRET } = process.env;
const contacts = new Map(); // by BSUID and number
const bsuids = new Map(); // one BSUID of each contact that has any
const messages = new Map(); // contacts by message ID

const ways = {
  "phone only": (ids) => [ids.phone],
  "phone first": (ids) => [ids.phone || ids.bsuid],
  "BSUID only": (ids) => [ids.bsuid],
  "BSUID, else phone": (ids) => [ids.bsuid || ids.phone],
  "upsert both": (ids) => [ids.bsuid, ids.phone],
};

function contactOf(ids, messageID) {
  if (WAY === "right") {
    const contact = find(ids) || messageID;
    set(contact, ids);
    return contact;
  }
  const keys = ways[WAY](ids).filter(Boolean);
  if (!keys.length) return;
  const contact = keys.map((key) => contacts.get(key)).find(Boolean) || messageID;
  for (const key of keys) contacts.set(key, contact);
  return contact;
}

// find returns the contact with the BSUID or, if it's new, the one with the number, unless that has another BSUID.
function find({ bsuid, phone }) {
  const byNumber = contacts.get(phone);
  return contacts.get(bsuid) || (!bsuid || !bsuids.has(byNumber) ? byNumber : undefined);
}

function set(contact, { bsuid, phone }) {
  if (bsuid) contacts.set(bsuid, contact), bsuids.set(contact, bsuid);
  if (phone) contacts.set(phone, contact);
}

// change moves a contact from the previous IDs to the current ones, and releases the previous number.
function change(previous, current) {
  const after = find(current);
  const contact = find(previous) || after;
  if (!contact) return;
  for (const map of [contacts, messages]) for (const [key, value] of map) if (value === after) map.set(key, contact);
  if (contacts.get(previous.phone) === contact) contacts.delete(previous.phone);
  set(contact, current);
}

async function receive(message, ids, phoneNumberID, isLive) {
  if (messages.has(message.id)) return;
  const contact = contactOf(ids, message.id);
  if (!contact) return;
  messages.set(message.id, contact);
  if (!isLive || message.group_id || ["reaction", "edit", "revoke", "unsupported"].includes(message.type)) return;
  const to = ids.phone ? { to: ids.phone } : { recipient: ids.bsuid };
  await fetch(`${GRAPH}/v24.0/${phoneNumberID}/messages`, {
    method: "POST",
    headers: { Authorization: "Bearer token", "Content-Type": "application/json" },
    body: JSON.stringify({ messaging_product: "whatsapp", ...to, type: "text", text: { body: "Hi!" } }),
  });
}

async function webhook(body) {
  for (const entry of body.entry) for (const { field, value } of entry.changes) {
    for (const part of [value, value.standby ?? {}]) {
      for (const message of part.messages ?? []) {
        const contact = (part.contacts ?? []).find((c) => c.wa_id && c.wa_id === message.from);
        const ids = { phone: message.from, bsuid: message.from_user_id || contact?.user_id };
        if (message.type === "system") {
          const { previous_user_id, user_id, wa_id } = message.system;
          if (WAY === "right") change({ phone: ids.phone, bsuid: previous_user_id || ids.bsuid }, { phone: wa_id, bsuid: user_id });
          continue;
        }
        await receive(message, ids, value.metadata.phone_number_id, field === "messages");
      }
    }
    for (const history of value.history ?? []) for (const thread of history.threads) for (const message of thread.messages) {
      if (message.from === value.metadata.display_phone_number) continue;
      await receive(message, { phone: message.from, bsuid: message.from_user_id || thread.context?.user_id }, "", false);
    }
  }
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (request.url === "/contact-of") {
    const contact = messages.get(JSON.parse(body).message);
    response.writeHead(contact ? 200 : 404, { "Content-Type": "application/json" }).end(JSON.stringify({ contact }));
    return;
  }
  const expected = Buffer.from("sha256=" + createHmac("sha256", SECRET).update(body).digest("hex"));
  const signature = Buffer.from(request.headers["x-hub-signature-256"] ?? "");
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return response.writeHead(401).end();
  await webhook(JSON.parse(body));
  response.end();
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
