package httpapi

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm"
)

// encodeNormalizedWebhook returns what encoding/json makes of these shapes, and at most so
// many bytes.
func TestNormalizedWebhook(t *testing.T) {
	type event struct {
		Kind        string          `json:"kind"`
		BSUID       *string         `json:"bsuid"`
		Phone       *string         `json:"phone"`
		Username    *string         `json:"username"`
		DisplayName *string         `json:"displayName"`
		Standby     bool            `json:"standby,omitempty"`
		Raw         json.RawMessage `json:"raw"`
	}
	type webhook struct {
		Provider string  `json:"provider"`
		Events   []event `json:"events"`
	}
	events := []webhooknorm.Event{
		{Kind: webhooknorm.KindMessage, Standby: true, Source: webhooknorm.Source{Raw: []byte(`{"id":"wamid.1"}`)}},
		{Kind: webhooknorm.KindStatus, Source: webhooknorm.Source{Raw: []byte(`{}`)}},
	}
	e := &events[1]
	e.BSUID, e.Phone, e.Username, e.DisplayName = "US.1", "16505551234", "jane", "Jane \"J\" <Doe> \u00e9\n\x01\\"
	want, err := encodeJSON(webhook{"vendor_cloud_api", []event{
		{Kind: "message", Standby: true, Raw: events[0].Raw},
		{Kind: "status", BSUID: &e.BSUID, Phone: &e.Phone, Username: &e.Username, DisplayName: &e.DisplayName, Raw: e.Raw},
	}})
	require.NoError(t, err)
	for most := range len(want) {
		_, ok := encodeNormalizedWebhook(events, most)
		require.False(t, ok, "at most %d bytes", most)
	}
	got, ok := encodeNormalizedWebhook(events, len(want))
	require.True(t, ok)
	require.Equal(t, string(want), string(got))
	require.Equal(t, len(want), cap(got), "a response of 8 MiB takes no more memory")
}

// A quoted text is read as itself, and has no escape that it doesn't need.
func FuzzQuote(f *testing.F) {
	f.Add("\x00\b\f\n\r\t\x1f\"\\/<>&\x7f\u2028é👋")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "")
		quoted := appendQuoted(nil, text)
		var got string
		require.NoError(t, json.Unmarshal(quoted, &got))
		require.Equal(t, text, got)
		for _, r := range regexp.MustCompile(`\\(u00..|.)`).FindAllString(string(quoted), -1) {
			require.Regexp(t, `^\\([bfnrt"\\]|u00[01][0-9a-f])$`, r)
		}
	})
}

// A handler that reads an undeclared parameter finds it absent.
func TestUndeclaredParameterIsAbsent(t *testing.T) {
	in := newInput(&shortLink)
	require.NoError(t, in.readQuery("username=jane&text=Hi"))
	require.Empty(t, in.get(&usernameParam))
	require.Equal(t, "Hi", in.get(&textParam))
}

func TestIsNear(t *testing.T) {
	for _, name := range []string{"username", "usernam", "usernameX", "xusername", "usenrame", "susername", "user_name", "USERNAME", "usernama", "rsername", "suername", "usernaem", "user", "userna", "usernameXY"} {
		require.True(t, isNear(name, "username"), name)
		require.True(t, isNear("username", name), name)
	}
	for _, name := range []string{"", "use", "name", "phone", "xuser", "userXY", "suenrame", "xsernamex", "usrnamex"} {
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

// The tag of a QR code follows from the parameters, so a client that has the picture
// gets 304 without a drawing.
func TestQRTagComesFromTheParameters(t *testing.T) {
	h := &Handler{}
	in := newInput(indexRoutes(allRoutes)[prefix+"/qr"])
	require.NoError(t, in.readQuery("username=jane"))
	first, err := getQR(h, in)
	require.NoError(t, err)
	require.NotEmpty(t, first.body)
	require.NotEqual(t, etagOf(first.body), first.etag)

	in.ifNoneMatch = []string{first.etag}
	again, err := getQR(h, in)
	require.NoError(t, err)
	require.True(t, again.notModified)
	require.Empty(t, again.body)
	require.Equal(t, first.etag, again.etag)

	in.ifNoneMatch = []string{`"another"`}
	again, err = getQR(h, in)
	require.NoError(t, err)
	require.Equal(t, first.body, again.body)
}

// The message about a media type names the one that came, and not a whole header of it.
func TestContentTypeMessage(t *testing.T) {
	err := checkContentType([]string{"text/plain; charset=utf-8"})
	require.ErrorIs(t, err, CodeUnsupportedContentType)
	require.ErrorContains(t, err, `got "text/plain; charset=utf-8"`)
	require.Less(t, len(checkContentType([]string{strings.Repeat("x", 10_000)}).Error()), 200)
	require.NoError(t, checkContentType(nil))
	require.NoError(t, checkContentType([]string{"Application/JSON ;x=y"}))
}

// The recipe for nginx passes on what is over our own limit, so that the response is ours.
func TestNginxRecipePassesOnLargeBodies(t *testing.T) {
	recipe, err := os.ReadFile("../deploy/README.md")
	require.NoError(t, err)
	m := regexp.MustCompile(`client_max_body_size (\d+)m;`).FindSubmatch(recipe)
	require.NotNil(t, m)
	megabytes, err := strconv.Atoi(string(m[1]))
	require.NoError(t, err)
	require.Greater(t, megabytes<<20, webhookBody)
}
