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

// The README's image shows a QR code with its caption and a terminal. It is made from
// what the library and the README's command return.
func TestREADMEPicture(t *testing.T) {
	link, err := chatlink.BuildUsernameLink("jane.doe", "Is the red one still there?")
	require.NoError(t, err)
	code, err := qrcode.RenderQR(link, qrcode.Options{Format: qrcode.SVG})
	require.NoError(t, err)
	start, rest, found := strings.Cut(string(code), `width="512" height="512"`)
	require.True(t, found, "%s", code)
	symbol := strings.TrimSpace(start + `x="20" y="10" width="200" height="200"` + rest)

	terminal := strings.Split(strings.TrimSpace(blocks(t, "README.md", "console")[0]), "\n")
	var lines strings.Builder
	for i, line := range terminal {
		for j, part := range strings.SplitAfter(line, "?") {
			fmt.Fprintf(&lines, `<text x="%d" y="%d">%s</text>`+"\n", 270+20*min(j, 1), 70+50*i+22*j, html.EscapeString(part))
		}
	}
	picture := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="780" height="250" viewBox="0 0 780 250" role="img">
<title>A QR code that opens a chat with @jane.doe, and a terminal with a request to the service</title>
<rect width="780" height="250" rx="12" fill="#f6f8fa"/>
%s
<text x="120" y="235" text-anchor="middle" font-family="sans-serif" font-size="20" fill="#1f2328">@jane.doe</text>
<rect x="250" y="30" width="510" height="190" rx="8" fill="#0d1117"/>
<g font-family="monospace" font-size="13" fill="#e6edf3">
%s</g>
</svg>
`, symbol, lines.String())
	const name = "docs/images/readme.svg"
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(picture), 0o600))
	}
	committed, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, picture, string(committed), "go test ./internal/repotest -run TestREADMEPicture -update writes it")
}
