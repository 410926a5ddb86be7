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

// VerifySignature reports whether a payload has been signed with one of the app secrets.
// The payload is the unchanged body of the request, and the header the value of
// [SignatureHeader]:
//
//	header = "sha256=" HMAC-SHA256 of the payload, as 64 hexadecimal digits
//
// Pass two secrets while one is being replaced. An empty secret never matches, and
// without secrets the result is false: a missing setting must not disable verification.
// The comparison takes constant time.
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

// Challenge handles the GET request with which the platform verifies a receiver. The
// query is the query of the request, and the token is the verify token that was entered
// with the URL of the receiver. If ok, respond with status 200 and the challenge as the
// whole body; otherwise respond with status 403.
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
