<?php // Receives WhatsApp webhooks, keeps messages and contacts in SQLite, and replies. Needs PHP 8.1, pdo_sqlite and curl.
// The server calls this file for each request; `php receiver.php` is the worker that replies.
$db = new PDO('sqlite:' . getenv('DATABASE'), options: [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_TIMEOUT => 5]);
// An alias is a BSUID, which contains a dot, or a number. A message is due when its reply is to be sent, in Unix seconds.
$db->exec('PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS message (key TEXT PRIMARY KEY, id TEXT, contact TEXT, at TEXT, event TEXT, due INTEGER);
CREATE TABLE IF NOT EXISTS alias (alias TEXT PRIMARY KEY, contact TEXT)');

function query(string $query, mixed ...$args): PDOStatement {
    global $db;
    $statement = $db->prepare($query);
    $statement->execute($args);
    return $statement;
}
function find(array $ids): string { // a number leads to its last contact; with a BSUID that's new, only while that contact has none
    $contact = (string) query('SELECT contact FROM alias WHERE alias = ?', $ids['phone'] ?? null)->fetchColumn();
    if (isset($ids['bsuid']) && query("SELECT 1 FROM alias WHERE contact = ? AND alias LIKE '%.%'", $contact)->fetchColumn()) {
        $contact = '';
    }
    return (string) query('SELECT contact FROM alias WHERE alias = ?', $ids['bsuid'] ?? null)->fetchColumn() ?: $contact;
}
function connect(string $contact, array $ids): string {
    $contact = $contact ?: bin2hex(random_bytes(8));
    foreach (array_filter([$ids['bsuid'] ?? null, $ids['phone'] ?? null]) as $alias) {
        query('REPLACE INTO alias VALUES (?, ?)', $alias, $contact);
    }
    return $contact;
}
function follow(array $before, array $after): void { // an announcement: the contact has other IDs, and its old numbers are free
    $other = find($after);
    $contact = connect(find($before) ?: $other, ['bsuid' => $before['bsuid'] ?? null]); // its older messages can arrive later
    query('UPDATE alias SET contact = ? WHERE contact = ?', $contact, $other);
    query('UPDATE message SET contact = ? WHERE contact = ?', $contact, $other);
    query("DELETE FROM alias WHERE contact = ? AND alias NOT LIKE '%.%'", $contact);
    connect($contact, $after);
}
function store(array $event): void {
    if (!in_array($event['kind'], ['message', 'history']) || ($event['type'] ?? '') === 'system') {
        return;
    }
    // The same message can arrive live, in standby and in the history. Without an ID it can't be compared.
    $id = $event['messageId'] ?? null;
    $key = $id === null ? bin2hex(random_bytes(16)) : ($event['phoneNumberId'] ?? '') . " $id";
    $contact = connect(find($event), $event);
    query('INSERT OR IGNORE INTO message VALUES (?, ?, ?, ?, ?, ?)', $key, $id, $contact, $event['time'] ?? null, json_encode($event, JSON_THROW_ON_ERROR), isset($event['reply']) ? 0 : null);
}
function post(string $url, string $body, string ...$headers): array { // returns the status and the response, or 0 without one
    $curl = curl_init($url);
    curl_setopt_array($curl, [CURLOPT_POSTFIELDS => $body, CURLOPT_HTTPHEADER => ['Content-Type: application/json', ...$headers], CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 20]);
    $response = curl_exec($curl);
    return [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), (string) $response];
}
function receive(array $webhook): void { // in one transaction, because WhatsApp sends the whole webhook again
    global $db;
    $db->exec('BEGIN IMMEDIATE'); // without COMMIT, it ends with the request
    foreach ($webhook['events'] as $event) {
        isset($event['change']) && follow($event['change']['previous'] ?? [], $event['change']['current'] ?? []);
    }
    array_map('store', $webhook['events']);
    $db->exec('COMMIT');
}
function reply(string $key, array $event): void {
    $message = ['messaging_product' => 'whatsapp', 'recipient_type' => 'individual', $event['reply']['field'] => $event['reply']['value'],
        'type' => 'text', 'text' => ['body' => 'Yes, it is.'], 'context' => ['message_id' => $event['messageId']]];
    [$status] = post(getenv('GRAPH_URL') . '/' . getenv('GRAPH_VERSION') . "/{$event['phoneNumberId']}/messages", json_encode($message), 'Authorization: Bearer ' . getenv('ACCESS_TOKEN'));
    if ($status > 0 && $status !== 429 && $status < 500) { // otherwise, it's due again in a minute
        query('UPDATE message SET due = NULL WHERE key = ?', $key);
    }
}
function status(): int { // of the response to a webhook
    if ((int) ($_SERVER['CONTENT_LENGTH'] ?? 0) > 4 << 20) {
        return 413;
    }
    $body = file_get_contents('php://input');
    if (!hash_equals('sha256=' . hash_hmac('sha256', $body, getenv('APP_SECRET')), $_SERVER['HTTP_X_HUB_SIGNATURE_256'] ?? '')) {
        return 403;
    }
    [$status, $response] = post(getenv('HAILMARK_URL') . '/api/v1/business/webhook/read', $body);
    if ($status === 200) {
        receive(json_decode($response, true, flags: JSON_THROW_ON_ERROR));
    }
    return [200 => 200, 422 => 200, 400 => 400][$status] ?? 503; // 422: it's no webhook, so WhatsApp must not send it again
}

while (PHP_SAPI === 'cli') { // a worker takes a message for a minute; if it dies, the message is due again afterward
    $row = query('UPDATE message SET due = unixepoch() + 60 WHERE key = (SELECT key FROM message WHERE due <= unixepoch() ORDER BY at LIMIT 1) RETURNING key, event')->fetchAll()[0] ?? null;
    $row ? reply($row['key'], json_decode($row['event'], true)) : usleep(20000);
}
if ($_SERVER['REQUEST_METHOD'] === 'GET') { // Meta checks once that the URL is yours; PHP writes the dots of names as underscores
    $right = ($_GET['hub_mode'] ?? '') === 'subscribe' && hash_equals(getenv('VERIFY_TOKEN'), $_GET['hub_verify_token'] ?? '');
    http_response_code($right ? 200 : 403);
    header('Content-Type: text/plain');
    exit($right ? $_GET['hub_challenge'] ?? '' : '');
}
try {
    http_response_code(status());
} catch (Throwable $error) { // WhatsApp sends the webhook again
    error_log('not stored: ' . $error::class);
    http_response_code(503);
}
