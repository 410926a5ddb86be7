package webhooknorm_test

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm"
)

// The corpus is a folder of payloads from the test suites of other projects, with
// what those projects say about the sender. It is no part of this repository; the
// variable WEBHOOK_CORPUS names it.
func corpus(t *testing.T) fs.FS {
	dir := cmp.Or(os.Getenv("WEBHOOK_CORPUS"), filepath.Join("..", "..", "shared", "corpus"))
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no webhook corpus: %v", err)
	}
	return os.DirFS(dir)
}

// unrecognized are the corpus files that aren't webhooks.
var unrecognized = map[string]string{
	"bare/dimagi-open-chat-studio-turnio_outbound_message.json": "the body of a request to send, with no array at all",
}

func TestCorpusPayloads(t *testing.T) {
	payloads, err := fs.Sub(corpus(t), "payloads")
	require.NoError(t, err)
	files := 0
	err = fs.WalkDir(payloads, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		t.Run(name, func(t *testing.T) {
			payload, err := fs.ReadFile(payloads, name)
			require.NoError(t, err)
			checkRead(t, payload)
			events, err := webhooknorm.Normalize(payload)
			if _, ok := unrecognized[name]; ok {
				require.ErrorIs(t, err, webhooknorm.CodeUnrecognizedShape)
				return
			}
			require.NoError(t, err)

			var tree any
			require.NoError(t, json.Unmarshal(payload, &tree))
			messages, statuses := count(tree, "messages"), count(tree, "statuses")
			require.Equal(t, messages, countKind(events, webhooknorm.KindMessage))
			require.Equal(t, statuses, countKind(events, webhooknorm.KindStatus))
		})
		return nil
	})
	require.NoError(t, err)
	require.NotZero(t, files)
}

// count counts the objects in all arrays with a name, wherever they are.
func count(tree any, name string) (n int) {
	switch node := tree.(type) {
	case []any:
		for _, element := range node {
			n += count(element, name)
		}
	case map[string]any:
		for key, member := range node {
			if array, ok := member.([]any); ok && key == name {
				n += len(array)
			} else {
				n += count(member, name)
			}
		}
	}
	return n
}

func countKind(events []webhooknorm.Event, kind webhooknorm.Kind) (n int) {
	for _, e := range events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// facts are the names under which the corpus states what an event must say.
var facts = map[string]func(webhooknorm.Event) string{
	"kind":                   func(e webhooknorm.Event) string { return string(e.Kind) },
	"phone":                  func(e webhooknorm.Event) string { return e.Phone },
	"participantPhone":       func(e webhooknorm.Event) string { return e.Phone },
	"contact_wa_id":          func(e webhooknorm.Event) string { return e.Phone },
	"bsuid":                  func(e webhooknorm.Event) string { return e.BSUID },
	"participantBsuid":       func(e webhooknorm.Event) string { return e.BSUID },
	"customerId":             func(e webhooknorm.Event) string { return e.BSUID },
	"parentBsuid":            func(e webhooknorm.Event) string { return e.ParentBSUID },
	"participantParentBsuid": func(e webhooknorm.Event) string { return e.ParentBSUID },
	"username":               func(e webhooknorm.Event) string { return e.Username },
	"displayName":            func(e webhooknorm.Event) string { return e.DisplayName },
}

// notFacts are what else the corpus states: about parts of a payload that an event
// leaves to its raw, and about the interface of the project that the file is from.
var notFacts = []string{
	"contacts", "from_preferred", "groupId", "idType", "library_outcome", "messageType", "note", "origin",
	"recipient", "recipient_id", "recipient_type", "sharedPhone", "status", "system", "update",
}

const (
	placeholder = "the number is a placeholder of capital letters, and letters are no phone number"
	noNumber    = "the lone contact has no number, so it may be another person's than the element's number"
)

// disagreements are the facts that do not hold here, and why.
var disagreements = map[string]map[string]string{
	"netflie-whatsapp-cloud-api-test_build_from_payload_can_build_a_forwarded_notification.json":   {"customerId": placeholder, "displayName": noNumber},
	"netflie-whatsapp-cloud-api-test_build_from_payload_can_build_a_notification.json":             {"customerId": placeholder, "displayName": noNumber},
	"netflie-whatsapp-cloud-api-test_build_from_payload_can_keep_wa_id_priority_when_user_id.json": {"customerId": placeholder},
	"secreto31126-whatsapp-api-js-delivered_status_with_username_doesn_t_have_parent_bsuid_was_sent_to_phone.json": {
		"bsuid": noNumber, "username": noNumber, "displayName": noNumber,
	},
	"secreto31126-whatsapp-api-js-read_status_with_username_doesn_t_have_parent_bsuid_was_sent_to_phone.json": {
		"bsuid": noNumber, "username": noNumber, "displayName": noNumber,
	},
	"secreto31126-whatsapp-api-js-sent_status_with_username_doesn_t_have_parent_bsuid_was_sent_to_phone.json": {
		"bsuid": noNumber, "displayName": noNumber,
	},
	"restfb-restfb-webhook_incoming_message_status_ui.json": {"phone": placeholder},
}

func TestCorpusFacts(t *testing.T) {
	files := corpus(t)
	names, err := fs.Glob(files, "expected/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			var stated struct {
				File     string         `json:"file"`
				Expected map[string]any `json:"expected"`
			}
			data, err := fs.ReadFile(files, name)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(data, &stated))
			payload, err := fs.ReadFile(files, "payloads/"+stated.File)
			if err != nil {
				payload, err = fs.ReadFile(files, "payloads/bare/"+stated.File)
			}
			require.NoError(t, err)
			events, err := webhooknorm.Normalize(payload)
			require.NoError(t, err)

			for fact, want := range stated.Expected {
				switch get, ok := facts[fact]; {
				case ok:
					checkFact(t, events, fact, get, want, disagreements[filepath.Base(name)][fact])
				case fact == "events":
					require.Len(t, events, int(want.(float64)))
				case fact == "messages":
					require.EqualValues(t, want, countKind(events, webhooknorm.KindMessage))
				case fact == "statuses":
					require.EqualValues(t, want, countKind(events, webhooknorm.KindStatus))
				default:
					require.Contains(t, notFacts, fact, "a fact of unknown meaning")
				}
			}
		})
	}
}

func checkFact(t *testing.T, events []webhooknorm.Event, fact string, get func(webhooknorm.Event) string, want any, reason string) {
	text, _ := want.(string) // null is no text
	if fact == "username" {
		text = strings.TrimPrefix(text, "@")
	}
	for _, e := range events {
		if reason == "" {
			require.Equal(t, text, get(e), fact)
		} else {
			require.NotEqual(t, text, get(e), "%s agrees, so it is no exception: %s", fact, reason)
		}
	}
}
