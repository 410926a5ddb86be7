package webhooknorm_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/webhooknorm"
)

func TestVerifySignatureVectors(t *testing.T) {
	type input struct {
		Payload string
		Header  string
		Secrets []string
	}
	file, err := vectors.Load[input, bool]("webhook_signature.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			var secrets [][]byte
			for _, s := range v.Input.Secrets {
				secrets = append(secrets, []byte(s))
			}
			require.Equal(t, *v.Output, webhooknorm.VerifySignature([]byte(v.Input.Payload), v.Input.Header, secrets...))
		})
	}
}

func TestChallengeVectors(t *testing.T) {
	type input struct{ Query, Token string }
	type output struct {
		Challenge string
		OK        bool
	}
	file, err := vectors.Load[input, output]("webhook_challenge.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			query, err := url.ParseQuery(v.Input.Query)
			require.NoError(t, err)
			challenge, ok := webhooknorm.Challenge(query, v.Input.Token)
			require.Equal(t, *v.Output, output{challenge, ok})
		})
	}
}

func sign(payload, secret []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write(payload)
	return fmt.Sprintf("sha256=%x", mac.Sum(nil))
}

// Of all headers, one verifies: that with the signature, in either case.
func FuzzVerifySignature(f *testing.F) {
	f.Add([]byte("{}"), "sha256=00", []byte("secret"))
	f.Fuzz(func(t *testing.T, payload []byte, header string, secret []byte) {
		right := sign(payload, secret)
		require.Equal(t, len(secret) > 0, webhooknorm.VerifySignature(payload, right, []byte("another"), secret))
		if header != right {
			got := webhooknorm.VerifySignature(payload, header, secret)
			require.Equal(t, got, len(header) == len(right) && len(secret) > 0 && header[:7] == right[:7] && equalFold(header[7:], right[7:]))
		}
	})
}

func equalFold(a, b string) bool {
	for i := range len(a) {
		if a[i] != b[i] && (b[i] < 'a' || a[i] != b[i]-'a'+'A') {
			return false
		}
	}
	return true
}

func ExampleVerifySignature() {
	payload := []byte(`{"entry":[]}`)
	header := "sha256=b2efd4518cee9caed350ef07b542e9ef734598bb45ed65f3a648544504f7e7c4" // from X-Hub-Signature-256
	fmt.Println(webhooknorm.VerifySignature(payload, header, []byte("the new app secret"), []byte("the old app secret")))
	// Output: true
}

func ExampleChallenge() {
	query, _ := url.ParseQuery("hub.mode=subscribe&hub.verify_token=my-token&hub.challenge=1158201444")
	fmt.Println(webhooknorm.Challenge(query, "my-token"))
	// Output: 1158201444 true
}
