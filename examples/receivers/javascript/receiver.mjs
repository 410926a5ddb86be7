// Receives WhatsApp webhooks, keeps them in a file, and replies. It needs Node.js 20 or later, and no packages.
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";

const { PORT, GRAPH_URL, GRAPH_VERSION, ACCESS_TOKEN, APP_SECRET, VERIFY_TOKEN, HAILMARK_URL, DATABASE } = process.env;
const contacts = new Map(); // by BSUID, which contains a dot, and by number
const messages = new Map(); // by key: the event, its contact, and whether its reply is due
const isBSUID = (alias) => alias.includes(".");

// A number leads to its last contact; with a BSUID that's new, only while that contact has none.
function find({ bsuid, phone }) {
  const hasBSUID = (contact) => [...contacts].some(([alias, c]) => c === contact && isBSUID(alias));
  const byNumber = contacts.get(phone);
  return contacts.get(bsuid) ?? (bsuid && byNumber && hasBSUID(byNumber) ? undefined : byNumber);
}

function connect(contact, { bsuid, phone }) {
  for (const alias of [bsuid, phone]) if (alias) contacts.set(alias, contact);
}

// An announcement: the contact has other IDs, and its old numbers are free.
function follow({ previous = {}, current = {} }, id) {
  const other = find(current);
  const contact = find(previous) ?? other ?? id;
  connect(contact, { bsuid: previous.bsuid }); // its older messages can arrive later
  for (const message of messages.values()) if (message.contact === other) message.contact = contact;
  for (const [alias, c] of contacts) {
    if (c === other) contacts.set(alias, contact);
    if ((c === contact || c === other) && !isBSUID(alias)) contacts.delete(alias);
  }
  connect(contact, current);
}

function store(event, id) {
  if (!["message", "history"].includes(event.kind) || event.type === "system") return;
  const contact = find(event) ?? id;
  connect(contact, event);
  // The same message can arrive live, in standby and in the history. Without an ID it can't be compared.
  const key = event.messageId ? `${event.phoneNumberId} ${event.messageId}` : id;
  if (!messages.has(key)) messages.set(key, { event, contact, due: Boolean(event.reply) });
}

// apply applies a line of the file: a webhook with new IDs for its events, or the key of an answered message.
function apply({ events, ids, answered }) {
  if (answered) return void (messages.get(answered).due = false);
  events.forEach((event, i) => event.change && follow(event.change, ids[i]));
  events.forEach((event, i) => store(event, ids[i]));
}

function save(line) { // only what's on the disk counts
  appendFileSync(DATABASE, JSON.stringify(line) + "\n", { flush: true });
  apply(line);
}

const post = (url, body, headers) => fetch(url, { method: "POST", body, headers: { "Content-Type": "application/json", ...headers }, signal: AbortSignal.timeout(20_000) });

// reply answers the messages that are due. If the process dies before the answer is saved, it answers once more.
async function reply() {
  for (const [key, { event, due }] of messages) {
    if (!due) continue;
    const message = { messaging_product: "whatsapp", recipient_type: "individual", [event.reply.field]: event.reply.value, type: "text", text: { body: "Yes, it is." }, context: { message_id: event.messageId } };
    const response = await post(`${GRAPH_URL}/${GRAPH_VERSION}/${event.phoneNumberId}/messages`, JSON.stringify(message), { Authorization: `Bearer ${ACCESS_TOKEN}` }).catch(() => ({ status: 503 }));
    if (response.status !== 429 && response.status < 500) save({ answered: key }); // otherwise, it's still due
  }
}

async function status(request) { // of the response to a webhook
  const chunks = [];
  if (request.headers["content-length"] > 4 << 20) return 413;
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const right = Buffer.from("sha256=" + createHmac("sha256", APP_SECRET).update(body).digest("hex"));
  const signature = Buffer.from(request.headers["x-hub-signature-256"] ?? "");
  if (signature.length !== right.length || !timingSafeEqual(signature, right)) return 403;
  const response = await post(`${HAILMARK_URL}/api/v1/business/webhook/read`, body);
  if (response.status !== 200) return { 400: 400, 422: 200 }[response.status] ?? 503; // 422: it's no webhook, so WhatsApp must not send it again
  const { events } = await response.json();
  save({ events, ids: events.map(() => randomUUID()) });
  return 200;
}

if (existsSync(DATABASE)) readFileSync(DATABASE, "utf8").trim().split("\n").forEach((line) => apply(JSON.parse(line)));
if (process.argv[2] === "contacts") {
  for (const { event, contact } of messages.values()) console.log(event.messageId, contact);
  process.exit();
}
const work = () => reply().catch((error) => console.error("not sent:", error.name)).finally(() => setTimeout(work, 20));
work();
createServer(async (request, response) => {
  const query = new URL(request.url, "http://localhost").searchParams;
  if (request.method === "POST") {
    response.statusCode = await status(request).catch((error) => (console.error("not stored:", error.name), 503)); // WhatsApp sends it again
  } else if (query.get("hub.mode") !== "subscribe" || query.get("hub.verify_token") !== VERIFY_TOKEN) {
    response.statusCode = 403;
  } else { // Meta checks once that the URL is yours
    response.setHeader("Content-Type", "text/plain").write(query.get("hub.challenge") ?? "");
  }
  response.end();
}).listen(PORT, "127.0.0.1");
