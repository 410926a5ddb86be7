# Receives WhatsApp webhooks, keeps messages and contacts in SQLite, and replies. Needs Ruby 3.1, and the gems sqlite3 and webrick.
require "json"; require "net/http"; require "openssl"; require "securerandom"; require "sqlite3"; require "webrick"
LOCK = Mutex.new
DB = SQLite3::Database.new(ENV.fetch("DATABASE"))
# An alias is a BSUID, which contains a dot, or a number. A message is due when its reply is to be sent, in Unix seconds.
DB.execute_batch("PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000;
CREATE TABLE IF NOT EXISTS message (key TEXT PRIMARY KEY, id TEXT, contact TEXT, at TEXT, event TEXT, due INTEGER);
CREATE TABLE IF NOT EXISTS alias (alias TEXT PRIMARY KEY, contact TEXT)")

# A number leads to its last contact; with a BSUID that's new, only while that contact has none.
def find(ids)
  contact = DB.get_first_value("SELECT contact FROM alias WHERE alias = ?", [ids["phone"]])
  contact = nil if ids["bsuid"] && DB.get_first_value("SELECT 1 FROM alias WHERE contact = ? AND alias LIKE '%.%'", [contact])
  DB.get_first_value("SELECT contact FROM alias WHERE alias = ?", [ids["bsuid"]]) || contact
end

def connect(contact, ids)
  contact ||= SecureRandom.hex(8)
  [ids["bsuid"], ids["phone"]].compact.each { |id| DB.execute("REPLACE INTO alias VALUES (?, ?)", [id, contact]) }
  contact
end

# An announcement: the contact has other IDs, and its old numbers are free.
def follow(before, after)
  other = find(after)
  contact = connect(find(before) || other, { "bsuid" => before["bsuid"] }) # its older messages can arrive later
  %w[alias message].each { |table| DB.execute("UPDATE #{table} SET contact = ? WHERE contact = ?", [contact, other]) }
  DB.execute("DELETE FROM alias WHERE contact = ? AND alias NOT LIKE '%.%'", [contact])
  connect(contact, after)
end

def store(event)
  return if !%w[message history].include?(event["kind"]) || event["type"] == "system"
  # The same message can arrive live, in standby and in the history. Without an ID it can't be compared.
  id = event["messageId"]
  key = id ? "#{event["phoneNumberId"]} #{id}" : SecureRandom.hex
  contact = connect(find(event), event)
  DB.execute("INSERT OR IGNORE INTO message VALUES (?, ?, ?, ?, ?, ?)", [key, id, contact, event["time"], JSON.generate(event), event["reply"] ? 0 : nil])
end

# In one transaction, because WhatsApp sends the whole webhook again.
def receive(events)
  LOCK.synchronize do
    DB.transaction(:immediate) do
      events.each { |event| event["change"] && follow(event["change"]["previous"] || {}, event["change"]["current"] || {}) }
      events.each { |event| store(event) }
    end
  end
end

def post(url, body, headers = {})
  uri = URI(url)
  Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https", read_timeout: 20) do |http|
    http.post(uri.request_uri, body, { "Content-Type" => "application/json" }.merge(headers))
  end
end

# A worker takes a message for a minute. If it dies or WhatsApp is busy, the message is due again afterward.
def reply
  row = LOCK.synchronize do
    DB.execute("UPDATE message SET due = unixepoch() + 60 WHERE key = (SELECT key FROM message WHERE due <= unixepoch() ORDER BY at LIMIT 1) RETURNING key, event").first
  end
  return sleep(0.02) unless row
  event = JSON.parse(row[1])
  message = { messaging_product: "whatsapp", recipient_type: "individual", event["reply"]["field"] => event["reply"]["value"],
              type: "text", text: { body: "Yes, it is." }, context: { message_id: event["messageId"] } }
  response = post("#{ENV["GRAPH_URL"]}/#{ENV["GRAPH_VERSION"]}/#{event["phoneNumberId"]}/messages", JSON.generate(message), "Authorization" => "Bearer #{ENV["ACCESS_TOKEN"]}")
  return if response.code == "429" || response.code >= "500"
  LOCK.synchronize { DB.execute("UPDATE message SET due = NULL WHERE key = ?", [row[0]]) }
rescue SystemCallError, IOError, Timeout::Error => e
  warn "not sent: #{e.class}"
end

# The status of the response to a webhook. 422 means that it's none, so WhatsApp must not send it again.
def status(request)
  return 413 if request.content_length > 4 << 20
  body = request.body || ""
  signature = "sha256=" + OpenSSL::HMAC.hexdigest("SHA256", ENV.fetch("APP_SECRET"), body)
  return 403 unless OpenSSL.secure_compare(signature, request["X-Hub-Signature-256"] || "")
  response = post(ENV.fetch("HAILMARK_URL") + "/api/v1/business/webhook/read", body)
  receive(JSON.parse(response.body)["events"]) if response.code == "200"
  { "200" => 200, "422" => 200, "400" => 400 }[response.code] || 503
rescue StandardError => e # WhatsApp sends the webhook again
  warn "not stored: #{e.class}"
  503
end

Thread.new { loop { reply } }
server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: ENV.fetch("PORT"), AccessLog: [], Logger: WEBrick::Log.new($stderr, WEBrick::Log::WARN))
server.mount_proc("/webhook") do |request, response|
  if request.request_method == "POST"
    response.status = status(request)
  else # Meta checks once that the URL is yours
    right = request.query["hub.mode"] == "subscribe" && OpenSSL.secure_compare(request.query["hub.verify_token"] || "", ENV.fetch("VERIFY_TOKEN"))
    response.status, response.body = right ? [200, request.query["hub.challenge"]] : [403, ""]
    response.content_type = "text/plain"
  end
end
%w[INT TERM].each { |signal| trap(signal) { server.shutdown } }
server.start
