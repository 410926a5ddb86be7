package simulate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
)

// A graph is a stand-in for the part of the Graph API that a receiver uses to reply.
type graph struct {
	conversation *conversation
	testNumber   bool // compare numbers as a test number does
	messages     atomic.Int64
	mux          *http.ServeMux
	failure      atomic.Pointer[string] // the last message that wasn't recognized as one, and why
}

func newGraph(c *conversation, testNumber bool) *graph {
	g := &graph{conversation: c, testNumber: testNumber, mux: http.NewServeMux()}
	g.mux.HandleFunc("POST /{number}/messages", g.send)
	g.mux.HandleFunc("POST /{number}/media", g.upload)
	g.mux.HandleFunc("GET /{media}", g.media)
	g.mux.HandleFunc("GET /{media}/file", g.file)
	g.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		g.fail(w, r, errUnknownPath.with(r.Method+" "+r.URL.Path))
	})
	return g
}

// version is the beginning of a path that contains a version, which may be absent.
var version = regexp.MustCompile(`^/v[0-9]+(\.[0-9]+)?/`)

func (g *graph) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") == "" && r.URL.Query().Get("access_token") == "" {
		g.fail(w, r, errNoToken)
		return
	}
	prefix := strings.TrimSuffix(version.FindString(r.URL.Path), "/")
	http.StripPrefix(prefix, g.mux).ServeHTTP(w, r)
}

// fail answers with an error that keeps a request from being a reply, and remembers it if the request is meant as one.
func (g *graph) fail(w http.ResponseWriter, r *http.Request, e graphError) {
	if strings.HasSuffix(r.URL.Path, "/messages") {
		text := fmt.Sprintf("%d, error %d: %s (%s)", e.status, e.code, e.message, e.details)
		g.failure.Store(&text)
	}
	e.write(w)
}

// A graphError is an error of the Graph API, in the form that
// https://developers.facebook.com/docs/graph-api/guides/error-handling/ documents.
type graphError struct {
	status  int
	code    int
	message string
	details string
}

// The errors of https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes/.
// The platform also reports 131026 and 131047 later, in a status webhook; the stand-in always reports them at once.
var (
	errNoToken     = graphError{401, 190, "An access token is required", "send the header Authorization: Bearer with any token"}
	errUnknownPath = graphError{404, 100, "Unsupported request", ""}

	// The platform accepts a BSUID in the member to, and drops the message
	// (https://github.com/chatwoot/chatwoot/pull/15150). The stand-in refuses it, so that it isn't overlooked.
	errInvalid = graphError{400, 100, "(#100) Invalid parameter", ""}

	// The recipient isn't on WhatsApp, or doesn't have this number or BSUID anymore.
	errUndeliverable = graphError{400, 131026, "(#131026) Message undeliverable", "nobody has this number or BSUID now"}

	// More than 24 hours have passed since the person last wrote. Templates are exempt.
	errWindow = graphError{400, 131047, "(#131047) Re-engagement message", "more than 24 hours have passed since the person last wrote to this number"}

	// A test number compares the recipient with its allow list as text, and refuses the wa_id of Mexican
	// and Argentine mobile numbers: https://github.com/chatwoot/chatwoot/issues/13932 and
	// https://github.com/david-lev/pywa/issues/155.
	errNotAllowed = graphError{400, 131030, "(#131030) Recipient phone number not in allowed list", "a test number needs 52 without the 1, and 54 without the 9"}
)

func (e graphError) with(details string) graphError {
	e.details = details
	return e
}

func (e graphError) write(w http.ResponseWriter) {
	writeJSON(w, e.status, map[string]any{"error": map[string]any{
		"message": e.message, "type": "OAuthException", "code": e.code, "fbtrace_id": "hailmark",
		"error_data": map[string]string{"messaging_product": "whatsapp", "details": e.details},
	}})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client has gone
}

// A request is the part of a message that the stand-in reads.
type request struct {
	Product       string `json:"messaging_product"`
	RecipientType string `json:"recipient_type"`
	To            any    `json:"to"`
	Recipient     string `json:"recipient"`
	Type          string `json:"type"`
	Status        string `json:"status"`
	MessageID     string `json:"message_id"`
	Context       struct {
		MessageID string `json:"message_id"`
	} `json:"context"`
}

// maxRequest is the greatest length of a message, in bytes.
const maxRequest = 1 << 20

func (g *graph) send(w http.ResponseWriter, r *http.Request) {
	var q request
	if err := json.NewDecoder(io.LimitReader(r.Body, maxRequest)).Decode(&q); err != nil {
		g.fail(w, r, errInvalid.with("the body isn't JSON: "+err.Error()))
		return
	}
	business := slices.IndexFunc(g.conversation.directory.Businesses, func(b lives.Business) bool { return b.ID == r.PathValue("number") })
	switch {
	case business < 0:
		g.fail(w, r, errInvalid.with("no phone number has the ID in the path; use the phone_number_id of the webhook"))
	case q.Product != "whatsapp":
		g.fail(w, r, errInvalid.with(fmt.Sprintf("messaging_product is %.40q; it must be whatsapp", q.Product)))
	case q.Status == "read": // with typing_indicator, too
		writeJSON(w, http.StatusOK, map[string]bool{"success": true})
	case q.RecipientType == "group":
		g.accept(w, target{address: fmt.Sprint(q.To), isNumber: true}, g.nextID())
	default:
		g.reply(w, r, &q, business)
	}
}

// reply sends a message to a person. The phone number wins if both addresses are given.
func (g *graph) reply(w http.ResponseWriter, r *http.Request, q *request, business int) {
	c := g.conversation
	t := target{business: business, quoted: q.Context.MessageID}
	to, err := number(q.To)
	switch {
	case err != nil:
		t.address = fmt.Sprint(q.To)
		t.person = c.owner(t.address)
		c.refuse(t, bsuidInTo)
		errInvalid.with(err.Error()).write(w)
		return
	case to == "" && q.Recipient == "":
		g.fail(w, r, errInvalid.with("to or recipient is required"))
		return
	case to != "":
		t.address, t.isNumber, t.person = to, true, c.holder(to)
	default:
		t.address, t.person = q.Recipient, c.owner(q.Recipient)
	}
	switch {
	case t.isNumber && g.testNumber && hasExtraDigit(to):
		c.decline(t, errNotAllowed.code)
		errNotAllowed.write(w)
	case t.person < 0:
		c.refuse(t, misdirected)
		errUndeliverable.write(w)
	case q.Type != "template" && !c.isOpen(t):
		c.decline(t, errWindow.code)
		errWindow.write(w)
	default:
		id := g.nextID()
		c.reply(t, id)
		g.accept(w, t, id)
	}
}

// sentPrefix is the beginning of the IDs of messages that the receiver sends.
const sentPrefix = "wamid.R"

func (g *graph) nextID() string { return sentPrefix + strconv.FormatInt(g.messages.Add(1), 10) }

// accept answers that a message was sent.
func (g *graph) accept(w http.ResponseWriter, t target, id string) {
	contact := map[string]string{"input": t.address, "user_id": t.address}
	if t.isNumber {
		contact = map[string]string{"input": t.address, "wa_id": t.address}
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"messaging_product": "whatsapp", "contacts": []any{contact}, "messages": []any{map[string]string{"id": id}},
	})
}

var notDigits = regexp.MustCompile(`[^0-9]`)

// number returns a phone number's digits. The platform ignores a plus and the usual separators.
func number(to any) (digits string, err error) {
	switch to := to.(type) {
	case nil:
		return "", nil
	case float64:
		return strconv.FormatFloat(to, 'f', -1, 64), nil
	case string:
		digits = strings.NewReplacer("+", "", " ", "", "-", "", "(", "", ")", "").Replace(to)
		if notDigits.MatchString(digits) {
			return "", fmt.Errorf("to is %q, which isn't a phone number; put a BSUID into recipient", to)
		}
		return digits, nil
	}
	return "", errors.New("to is neither a string nor a number; write the phone number as a string")
}

// upload takes a file that the receiver wants to send, and discards it.
func (g *graph) upload(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, 100<<20)) // nobody looks at the file
	writeJSON(w, http.StatusOK, map[string]string{"id": strconv.FormatInt(1_000_000_000+g.messages.Add(1), 10)})
}

// file is what every media ID contains: a JPEG image without content.
const file = "\xff\xd8\xff\xd9"

// media describes the file of a media ID.
func (g *graph) media(w http.ResponseWriter, r *http.Request) {
	scheme := "http"
	if r.TLS != nil || r.Host == graphHost { // the proxy hides the TLS connection
		scheme = "https"
	}
	path, _, _ := strings.Cut(r.RequestURI, "?") // with the version
	writeJSON(w, http.StatusOK, map[string]any{
		"messaging_product": "whatsapp", "id": r.PathValue("media"), "mime_type": "image/jpeg", "file_size": len(file),
		"sha256": "", "url": scheme + "://" + r.Host + path + "/file",
	})
}

func (g *graph) file(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/jpeg")
	_, _ = io.WriteString(w, file) // the client has gone
}
