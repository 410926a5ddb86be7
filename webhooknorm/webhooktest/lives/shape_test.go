package lives

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// documented are members that the platform documents and that the corpus does not have.
var documented = []string{
	// Announcements of changes have the previous ids since August 2026.
	".entry[].changes[].value.messages[].system.previous_user_id",
	".entry[].changes[].value.messages[].system.previous_parent_user_id",
	// Since May 2026 the parent in a status is named as in other elements.
	".entry[].changes[].value.statuses[].recipient_parent_user_id",
	// The ids have the same names in elements of every kind.
	".entry[].changes[].value.calls[].from_user_id",
	".entry[].changes[].value.calls[].from_parent_user_id",
	".entry[].changes[].value.calls[].to_user_id",
	".entry[].changes[].value.calls[].to_parent_user_id",
	".entry[].changes[].value.user_preferences[].user_id",
	".entry[].changes[].value.user_preferences[].parent_user_id",
	// An edit has the new text as a message has.
	".entry[].changes[].value.messages[].edit.message.text.body",
	// An echo has a file as a message has.
	".entry[].changes[].value.message_echoes[].image.id",
	".entry[].changes[].value.message_echoes[].image.mime_type",
	".entry[].changes[].value.message_echoes[].image.sha256",
	// In a group, a person can quote the message of another person.
	".entry[].changes[].value.messages[].context.from_user_id",
}

// paths adds the path of every member and element of a JSON value.
func paths(found map[string]bool, path string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			paths(found, path+"."+name, member)
		}
	case []any:
		for _, element := range value {
			paths(found, path+"[]", element)
		}
	default:
		found[path] = true
	}
}

// sinceAugust are the values whose shapes the corpus doesn't have. TestValues has their
// documented forms.
var sinceAugust = []string{"standby", "sender", "recipient", "control_passed", "control_taken", "history", "type", "timestamp"}

// Every member of a simulated webhook occurs in the corpus, or the platform documents it.
// The corpus is a folder of payloads that is not part of this repository; the variable
// WEBHOOK_CORPUS names it.
func TestShapesOccurInTheCorpus(t *testing.T) {
	dir := cmp.Or(os.Getenv("WEBHOOK_CORPUS"), filepath.Join("..", "..", "..", "shared", "corpus"))
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no webhook corpus: %v", err)
	}
	known := map[string]bool{}
	err := fs.WalkDir(os.DirFS(filepath.Join(dir, "payloads")), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, "payloads", name))
		if err != nil {
			return err
		}
		var payload any
		if err := json.Unmarshal(data, &payload); err != nil {
			return err
		}
		paths(known, "", payload)
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, known)

	w := harsh(1, 1000)
	w.rates.share, w.rates.preference, w.rates.echo = 1, 1, 1
	made := map[string]bool{}
	for hook := range w.Story(nil).Deliveries() {
		var body any
		require.NoError(t, json.Unmarshal(hook.Body, &body))
		paths(made, "", body)
	}
	for path := range made {
		member, _, _ := strings.Cut(strings.TrimPrefix(path, ".entry[].changes[].value."), ".")
		member = strings.TrimSuffix(member, "[]")
		if slices.Contains(sinceAugust, member) {
			continue
		}
		if !strings.Contains(path, "x_future") && !strings.Contains(path, ".x_") && !slices.Contains(documented, path) {
			require.True(t, known[path], path)
		}
	}
	for _, path := range documented {
		require.False(t, known[path], "%s is in the corpus now", path)
		require.True(t, made[path], path)
	}
	for _, needed := range []string{
		".entry[].changes[].value.messages[].from_user_id", ".entry[].changes[].value.messages[].group_id",
		".entry[].changes[].value.contacts[].profile.username", ".entry[].changes[].value.statuses[].errors[].code",
		".entry[].changes[].value.groups[].added_participants[].user_id", ".entry[].changes[].value.message_echoes[].to_user_id",
		".entry[].changes[].value.messages[].origin",
	} {
		require.True(t, made[needed], needed)
	}
}
