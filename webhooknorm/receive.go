package webhooknorm

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/url"
	"strings"
)

// SignatureHeader is the HTTP header that holds a payload's signature.
const SignatureHeader = "X-Hub-Signature-256"

// VerifySignature reports whether a payload has been signed with one of the app
// secrets. The payload is the body of the request as it arrived, the header that of
// [SignatureHeader]:
//
//	header = "sha256=" HMAC-SHA256 of the payload, as 64 hexadecimal digits
//
// Give two secrets while one is being replaced. An empty secret verifies nothing, and
// neither do no secrets at all: a missing setting must not disable
// verification. The comparison takes constant time.
func VerifySignature(payload []byte, header string, secrets ...[]byte) bool {
	digits, ok := strings.CutPrefix(header, "sha256=")
	if !ok {
		return false
	}
	signature, err := hex.DecodeString(digits)
	if err != nil || len(signature) != sha256.Size {
		return false
	}
	valid := false
	for _, secret := range secrets {
		if len(secret) == 0 {
			continue
		}
		mac := hmac.New(sha256.New, secret)
		mac.Write(payload)
		if hmac.Equal(mac.Sum(nil), signature) {
			valid = true
		}
	}
	return valid
}

// Challenge answers the GET request with which the platform makes sure that it talks
// to the right receiver. The query is that of the request, the token the one that was
// entered with the address of the receiver. If ok, answer 200 with the challenge
// and nothing else; otherwise answer 403.
//
// An empty token never matches. Each parameter must occur exactly once.
func Challenge(query url.Values, token string) (challenge string, ok bool) {
	mode, given, challenge := only(query["hub.mode"]), only(query["hub.verify_token"]), only(query["hub.challenge"])
	if token == "" || challenge == "" || mode != "subscribe" || subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
		return "", false
	}
	return challenge, true
}

// only returns the value of a parameter that is given once, and else "".
func only(values []string) string {
	if len(values) != 1 {
		return ""
	}
	return values[0]
}
