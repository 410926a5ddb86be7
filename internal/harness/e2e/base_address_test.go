package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/testenv"
)

// The client in docs/http.md calls every endpoint. Its base address is the only thing that
// depends on the server.
func TestBaseAddress(t *testing.T) {
	testenv.Slow(t)
	readme, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "http.md"))
	require.NoError(t, err)
	_, client, found := strings.Cut(string(readme), "```js\n")
	require.True(t, found)
	client, _, _ = strings.Cut(client, "```")
	const base = `const base = "http://localhost:8080";`
	require.Equal(t, 1, strings.Count(client, base))

	dir := newClient(t, "base-address")
	calls, err := os.ReadFile(filepath.Join(dir.path, "calls.mjs"))
	require.NoError(t, err)
	dir.write("main.mjs", strings.Replace(client, base, `const base = process.argv[2];`, 1)+string(calls))
	require.Equal(t, `https://wa.me/jane.doe?text=Hi%20there!
username-link https://wa.me/jane.doe aB3d
phone-link https://wa.me/16505551234
validate/username username_invalid_chars
validate/key true
validate/phone phone_invalid_format
qr image/png true
qr image/svg+xml true
openapi.json 3.1.0
business/bsuid/validate true
business/bsuid/parse US 11815799212886844830
business/username/validate uppercase_letter
business/contact/resolve jane.doe
business/webhook/normalize message US.1 16505551234
username-link username_length
qr missing_target
business/webhook/normalize webhook_unrecognized_shape
`, dir.node("main.mjs", serve(t, unlimited).URL))
}
