"""Receives WhatsApp webhooks, keeps messages and contacts in SQLite, and replies. Needs Python 3.8 and SQLite 3.38."""
import hashlib, hmac, json, os, secrets, sqlite3, sys, threading, urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

env, lock, work = os.environ, threading.Lock(), threading.Event()
db = sqlite3.connect(env["DATABASE"], check_same_thread=False, isolation_level=None)
# An alias is a BSUID, which contains a dot, or a number. A message is due when its reply is to be sent, in Unix seconds.
db.executescript("""PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000;
CREATE TABLE IF NOT EXISTS message (key TEXT PRIMARY KEY, id TEXT, contact TEXT, at TEXT, event TEXT, due INTEGER);
CREATE TABLE IF NOT EXISTS alias (alias TEXT PRIMARY KEY, contact TEXT)""")

def get(query, *args):
    row = db.execute(query, args).fetchone()
    return row and row[0]
def find(ids):  # a number leads to its last contact; with a BSUID that's new, only while that contact has none
    contact = get("SELECT contact FROM alias WHERE alias = ?", ids.get("phone"))
    if ids.get("bsuid") and get("SELECT 1 FROM alias WHERE contact = ? AND alias LIKE '%.%'", contact):
        contact = None
    return get("SELECT contact FROM alias WHERE alias = ?", ids.get("bsuid")) or contact
def connect(contact, ids):
    contact = contact or secrets.token_hex(8)
    for alias in filter(None, (ids.get("bsuid"), ids.get("phone"))):
        db.execute("REPLACE INTO alias VALUES (?, ?)", (alias, contact))
    return contact
def follow(before, after):  # an announcement: the contact has other IDs, and its old numbers are free
    other = find(after)
    contact = connect(find(before) or other, {"bsuid": before.get("bsuid")})  # its older messages can arrive later
    for table in ("alias", "message"):
        db.execute(f"UPDATE {table} SET contact = ? WHERE contact = ?", (contact, other))
    db.execute("DELETE FROM alias WHERE contact = ? AND alias NOT LIKE '%.%'", (contact,))
    connect(contact, after)

def store(event):
    if event["kind"] not in ("message", "history") or event.get("type") == "system":
        return
    # The same message can arrive live, in standby and in the history. Without an ID it can't be compared.
    id = event.get("messageId")
    key = f"{event.get('phoneNumberId')} {id}" if id else secrets.token_hex()
    contact, due = connect(find(event), event), 0 if event.get("reply") else None
    db.execute("INSERT OR IGNORE INTO message VALUES (?, ?, ?, ?, ?, ?)", (key, id, contact, event.get("time"), json.dumps(event), due))
def receive(webhook):  # in one transaction, because WhatsApp sends the whole webhook again
    with lock, db:
        db.execute("BEGIN IMMEDIATE")
        for event in webhook["events"]:
            if "change" in event:
                follow(event["change"].get("previous", {}), event["change"].get("current", {}))
        for event in webhook["events"]:
            store(event)
    work.set()
def post(url, body, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, body, {"Content-Type": "application/json", **headers}), timeout=20) as response:
        return json.load(response)
def reply():  # a worker takes a message for a minute; if it dies or WhatsApp is busy, the message is due again afterward
    with lock:
        row = db.execute("UPDATE message SET due = unixepoch() + 60 WHERE key = (SELECT key FROM message WHERE due <= unixepoch() ORDER BY at LIMIT 1) RETURNING key, event").fetchone()
    if not row:
        work.clear() or work.wait(1)
        return
    event = json.loads(row[1])
    to, text = event["reply"], {"type": "text", "text": {"body": "Yes, it is."}, "context": {"message_id": event["messageId"]}}
    try:
        body = json.dumps({"messaging_product": "whatsapp", "recipient_type": "individual", to["field"]: to["value"], **text})
        post(f"{env['GRAPH_URL']}/{env['GRAPH_VERSION']}/{event['phoneNumberId']}/messages", body.encode(), Authorization="Bearer " + env["ACCESS_TOKEN"])
    except OSError as error:
        if getattr(error, "code", 503) == 429 or getattr(error, "code", 503) >= 500:
            return
        print("not sent: status", error.code, file=sys.stderr)  # for example after 24 hours
    with lock:
        db.execute("UPDATE message SET due = NULL WHERE key = ?", (row[0],))
class Handler(BaseHTTPRequestHandler):
    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):  # Meta checks once that the URL is yours
        query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        right = query.get("hub.mode") == "subscribe" and hmac.compare_digest(query.get("hub.verify_token", "").encode(), env["VERIFY_TOKEN"].encode())
        self.answer(200, query.get("hub.challenge", "").encode()) if right else self.answer(403)
    def do_POST(self):
        if int(self.headers.get("Content-Length") or 0) > 4 << 20:
            return self.answer(413)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        signature = "sha256=" + hmac.new(env["APP_SECRET"].encode(), body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(signature.encode(), self.headers.get("X-Hub-Signature-256", "").encode()):
            return self.answer(403)
        try:
            receive(post(env["HAILMARK_URL"] + "/api/v1/business/webhook/read", body))
            self.answer(200)
        except urllib.error.HTTPError as error:  # it's no webhook: WhatsApp must not send it again
            self.answer(200 if error.code == 422 else 400 if error.code == 400 else 503)
        except Exception as error:  # WhatsApp sends the webhook again
            print("not stored:", type(error).__name__, file=sys.stderr)
            self.answer(503)
    def log_message(self, *args):  # a request line would contain the verify token
        pass

threading.Thread(target=lambda: [reply() for _ in iter(int, 1)], daemon=True).start()
ThreadingHTTPServer(("127.0.0.1", int(env["PORT"])), Handler).serve_forever()
