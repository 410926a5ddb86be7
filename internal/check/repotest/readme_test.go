package repotest

import (
	"flag"
	"fmt"
	"html"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/qrcode"
)

var update = flag.Bool("update", false, "write the README's image again")

// The README's image shows the code that its first snippet draws, and the chat that the code opens.
func TestREADMEImage(t *testing.T) {
	atRoot(t)
	const message = "Is the red one still there?"
	require.Contains(t, blocks(t, "README.md", "go")[1], fmt.Sprintf("chatlink.BuildUsernameLink(%q, %q)", "jane.doe", message))
	link, err := chatlink.BuildUsernameLink("jane.doe", message)
	require.NoError(t, err)
	code, err := qrcode.RenderQR(link, qrcode.Options{Format: qrcode.SVG})
	require.NoError(t, err)
	start, rest, found := strings.Cut(string(code), `width="512" height="512"`)
	require.True(t, found, "%s", code)
	symbol := strings.TrimSpace(start + `x="20" y="10" width="200" height="200"` + rest)

	beginning, query, found := strings.Cut(link, "?")
	require.True(t, found)
	picture := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="780" height="250" viewBox="0 0 780 250" role="img">
<title>A QR code, its link, and the chat with @jane.doe that it opens, with the text filled in</title>
<rect width="780" height="250" rx="12" fill="#f6f8fa"/>
%s
<g font-family="monospace" font-size="15" fill="#1f2328"><text x="20" y="232">%s?%s</text></g>
<path d="M250 110h70m-12-8l12 8l-12 8" fill="none" stroke="#57606a" stroke-width="3"/>
<text x="285" y="90" text-anchor="middle" font-family="sans-serif" font-size="15" fill="#57606a">scan</text>
<rect x="350" y="20" width="400" height="180" rx="8" fill="#fff" stroke="#d0d7de"/>
<g font-family="sans-serif" font-size="18" fill="#1f2328">
<text x="374" y="54">Chat with @jane.doe</text>
<path d="M350 72h400" stroke="#d0d7de"/>
<rect x="370" y="144" width="300" height="40" rx="20" fill="#f6f8fa" stroke="#d0d7de"/>
<text x="388" y="170">%s</text>
<circle cx="710" cy="164" r="20" fill="#1a7f37"/>
<path d="M703 154l18 10l-18 10z" fill="#fff"/>
</g>
</svg>
`, symbol, html.EscapeString(beginning), html.EscapeString(query), html.EscapeString(message))
	const name = "docs/images/readme.svg"
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(picture), 0o600))
	}
	committed, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, picture, string(committed), "go test ./internal/check/repotest -run TestREADMEImage -update writes it")
}
