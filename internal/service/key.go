package service

import "github.com/hailmark/hailmark/problem"

// CodeInvalidKey is the code of a text that isn't a username key.
const CodeInvalidKey problem.Code = "key_invalid_format"

// CheckKey returns a [problem.Problem] unless s is a username key, such as "aB3d": 4 to 8
// ASCII letters and digits that a person can require from strangers who contact them by
// username. A key is a secret, so the message doesn't quote it.
func CheckKey(s string) error {
	valid := 4 <= len(s) && len(s) <= 8
	for i := 0; valid && i < len(s); i++ {
		c := s[i]
		valid = '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
	}
	if !valid {
		return problem.New(CodeInvalidKey, "key must be 4 to 8 letters a-z, A-Z or digits").In("key")
	}
	return nil
}
