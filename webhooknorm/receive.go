package webhooknorm

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/url"
	"strings"
)

// VerifySignature reports whether payload, which is the unchanged request body, is signed with
// one of the app secrets. The header is the value of X-Hub-Signature-256:
//
//	header = "sha256=" HMAC-SHA256 of the payload, as 64 hexadecimal digits
//
// Pass two secrets while one is being replaced. An empty secret never matches, so a missing
// setting can't disable verification. The comparison is constant-time,
// but a wrong signature takes longer with more secrets.
func VerifySignature(payload []byte, header string, secrets ...[]byte) bool {
	digits, ok := strings.CutPrefix(header, "sha256=")
	if !ok {
		return false
	}
	signature, err := hex.DecodeString(digits)
	if err != nil || len(signature) != sha256.Size {
		return false
	}
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, secret)
		mac.Write(payload)
		if hmac.Equal(mac.Sum(nil), signature) && len(secret) > 0 {
			return true
		}
	}
	return false
}

// Challenge checks the query of the GET request with which the platform verifies a receiver's
// URL. The token is the verify token that was entered with the URL. An empty token never matches.
// Each parameter must occur once. If ok is true, respond with the challenge as the whole body,
// otherwise with status 403.
func Challenge(query url.Values, token string) (challenge string, ok bool) {
	mode, given, challenge := only(query["hub.mode"]), only(query["hub.verify_token"]), only(query["hub.challenge"])
	if token == "" || challenge == "" || mode != "subscribe" || subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
		return "", false
	}
	return challenge, true
}

// only returns a value that occurs once, otherwise "".
func only(values []string) string {
	if len(values) != 1 {
		return ""
	}
	return values[0]
}
