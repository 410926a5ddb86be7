package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// deliveries are changes in webhooks, in the order of their arrival. METADATA stands for the
// business number, and ATn for n seconds after the first one.
var deliveries = []struct{ name, change string }{
	{"Alice hides her number", `"messages", "value": {METADATA,
		"contacts": [{"profile": {"name": "Alice"}, "user_id": "US.1001"}],
		"messages": [{"from_user_id": "US.1001", "id": "wamid.a1", "timestamp": "AT0", "type": "text", "text": {"body": "Alice 1"}}]}`},
	{"Bob hides his number", `"messages", "value": {METADATA,
		"contacts": [{"profile": {"name": "Bob"}, "user_id": "US.2002"}],
		"messages": [{"from_user_id": "US.2002", "id": "wamid.b1", "timestamp": "AT10", "type": "text", "text": {"body": "Bob 1"}}]}`},
	{"Jane writes with both IDs", `"messages", "value": {METADATA,
		"contacts": [{"profile": {"name": "Jane"}, "wa_id": "16505551234", "user_id": "US.3003"}],
		"messages": [{"from": "16505551234", "from_user_id": "US.3003", "id": "wamid.j1", "timestamp": "AT20", "type": "text", "text": {"body": "Jane 1"}}]}`},
	{"Jane has hidden her number", `"messages", "value": {METADATA,
		"contacts": [{"profile": {"name": "Jane"}, "user_id": "US.3003"}],
		"messages": [{"from_user_id": "US.3003", "id": "wamid.j2", "timestamp": "AT30", "type": "text", "text": {"body": "Jane 2"}}]}`},
	{"Jane gets another BSUID", `"messages", "value": {METADATA,
		"messages": [{"from_user_id": "US.3003", "id": "wamid.j3", "timestamp": "AT40", "type": "system",
			"system": {"type": "user_changed_user_id", "body": "Jane changed", "user_id": "US.4004"}}]}`},
	{"Jane writes with it", `"messages", "value": {METADATA,
		"contacts": [{"profile": {"name": "Jane"}, "user_id": "US.4004"}],
		"messages": [{"from_user_id": "US.4004", "id": "wamid.j4", "timestamp": "AT50", "type": "text", "text": {"body": "Jane 3"}}]}`},
	{"the same again", `"messages", "value": {METADATA,
		"contacts": [{"profile": {"name": "Jane"}, "user_id": "US.4004"}],
		"messages": [{"from_user_id": "US.4004", "id": "wamid.j4", "timestamp": "AT50", "type": "text", "text": {"body": "Jane 3"}}]}`},
	{"an image in the history, before its file", `"history", "value": {METADATA,
		"history": [{"metadata": {"phase": 0, "chunk_order": 1, "progress": 50}, "threads": [{"id": "16505559999", "messages": [
			{"from": "16505559999", "id": "wamid.h1", "timestamp": "AT1", "type": "text", "text": {"body": "Hal 1"}, "history_context": {"status": "READ"}},
			{"from": "16505559999", "id": "wamid.h2", "timestamp": "AT2", "type": "media_placeholder", "history_context": {"status": "READ"}}]}]}]}`},
	{"the file of the image", `"history", "value": {METADATA,
		"messages": [{"from": "16505559999", "id": "wamid.h2", "timestamp": "AT2", "type": "image",
			"image": {"id": "555", "mime_type": "image/jpeg", "caption": "Hal 2"}, "history_context": {"status": "READ"}}]}`},
	{"an error of the number", `"messages", "value": {METADATA,
		"errors": [{"code": 130429, "title": "Rate limit hit"}]}`},
	{"a template is rejected", `"message_template_status_update", "value": {
		"event": "REJECTED", "message_template_id": 12345, "message_template_name": "order", "reason": "PROMOTIONAL"}`},
}

// post delivers webhooks, signed, to a running project, one after the other, and prints what it
// answers. Then it delivers one whose signature is wrong.
func post(url, secret, number string) error {
	client := http.Client{Timeout: 10 * time.Second}
	start := time.Now().Unix() - 60
	for _, d := range deliveries {
		if err := deliver(&client, url, secret, d.name, body(d.change, number, start)); err != nil {
			return err
		}
	}
	forged := strings.NewReplacer("Alice", "Mallory", "wamid.a1", "wamid.m1").Replace(deliveries[0].change)
	return deliver(&client, url, secret+"?", "Mallory signs with another secret", body(forged, number, start))
}

func body(change, number string, start int64) []byte {
	metadata := `"messaging_product": "whatsapp", "metadata": {"display_phone_number": "16505550000", "phone_number_id": "` + number + `"}`
	change = at.ReplaceAllStringFunc(strings.ReplaceAll(change, "METADATA", metadata), func(s string) string {
		seconds, err := strconv.ParseInt(s[len("AT"):], 10, 64)
		if err != nil {
			panic(err) // at matches only digits
		}
		return strconv.FormatInt(start+seconds, 10)
	})
	return []byte(`{"object": "whatsapp_business_account", "entry": [{"id": "1", "changes": [{"field": ` + change + `}]}]}`)
}

var at = regexp.MustCompile(`AT[0-9]{1,2}\b`)

func deliver(client *http.Client, url, secret, name string, body []byte) error {
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "%s: %s\n", name, response.Status)
	return nil
}
