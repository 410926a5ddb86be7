package httpapi

import (
	"bytes"
	"encoding/json"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/webhooknorm"
)

// What writeNormalizedWebhook writes is what encoding/json makes of the type from which
// the schema follows.
func TestWriterAgreesWithTheSchema(t *testing.T) {
	events := []webhooknorm.Event{
		{Kind: webhooknorm.KindMessage, Raw: []byte(`{"id":"wamid.1"}`)},
		{Kind: webhooknorm.KindStatus, Person: contact.Person{BSUID: "US.1", Phone: "16505551234", Username: "jane", DisplayName: "Jane \"J\" <Doe> \u00e9\n"}, Raw: []byte(`{}`)},
	}
	shape := normalizedWebhook{Provider: provider, Events: []event{}}
	for _, e := range events {
		shape.Events = append(shape.Events, event{
			Kind: e.Kind, BSUID: orNull(e.BSUID), Phone: orNull(e.Phone), Username: orNull(e.Username), DisplayName: orNull(e.DisplayName), Raw: json.RawMessage(e.Raw),
		})
	}
	want, err := encodeJSON(shape)
	require.NoError(t, err)
	var got bytes.Buffer
	require.NoError(t, writeNormalizedWebhook(&got, slices.Values(events)))
	require.Equal(t, string(want), got.String())
	require.Equal(t, provider, schemas()["NormalizedWebhook"]["properties"].(schema)["provider"].(schema)["const"])
}

// A handler that reads an undeclared parameter finds it absent.
func TestUndeclaredParameterIsAbsent(t *testing.T) {
	in := input{route: &shortLink}
	require.NoError(t, in.readQuery("username=jane&text=Hi"))
	require.Empty(t, in.get(&usernameParam))
	require.Equal(t, "Hi", in.get(&textParam))
}

func TestIsNear(t *testing.T) {
	for _, name := range []string{"username", "usernam", "usernameX", "xusername", "usenrame", "susername", "user_name", "USERNAME", "usernama", "rsername", "suername", "usernaem"} {
		require.True(t, isNear(name, "username"), name)
		require.True(t, isNear("username", name), name)
	}
	for _, name := range []string{"", "user", "userna", "name", "phone", "usernameXY", "suenrame", "xsernamex", "usrnamex"} {
		require.False(t, isNear(name, "username"), name)
		require.False(t, isNear("username", name), name)
	}
	require.True(t, isNear("", "a"))
	require.False(t, isNear("ab", "cd"))
}

// The package comment lists every route with its parameters, and no others.
func TestPackageCommentListsTheRoutes(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "httpapi.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	require.NoError(t, err)
	var listed, want []string
	for line := range strings.Lines(file.Doc.Text()) {
		if strings.HasPrefix(line, "\tGET ") || strings.HasPrefix(line, "\tPOST ") {
			listed = append(listed, strings.Join(strings.Fields(line), " "))
		}
	}
	for i := range routes {
		rt := &routes[i]
		words := []string{rt.method, rt.path}
		for _, d := range rt.declared() {
			if d.required {
				words = append(words, d.name)
			} else {
				words = append(words, "["+d.name+"]")
			}
		}
		if rt.body != nil && rt.body.fields == nil {
			words = append(words, "a webhook")
		}
		want = append(want, strings.Join(words, " "))
	}
	require.Equal(t, want, listed)
}
