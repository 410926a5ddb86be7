package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

// A client of the interface specification can call every endpoint. Only its base address depends
// on the server.
func TestBaseAddress(t *testing.T) {
	testenv.Slow(t)
	require.Equal(t, `username-link https://wa.me/jane.doe aB3d
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
`, newClient(t, "base-address").node("calls.mjs", serve(t, unlimited).URL))
}
