package service

import "github.com/hailmark/hailmark/problem"

// CodeInvalidKey is the code of a text that isn't a username key.
const CodeInvalidKey problem.Code = "key_invalid_format"

// CheckKey returns a [problem.Problem] unless s is a username key, such as "aB3d". People can
// require their key, 4 to 8 ASCII letters and digits, from strangers who contact them. The
// message doesn't quote s, because keys are secret.
func CheckKey(s string) error {
	valid := 4 <= len(s) && len(s) <= 8
	for i := 0; valid && i < len(s); i++ {
		c := s[i]
		valid = '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
	}
	if !valid {
		return problem.New("key", CodeInvalidKey, "key must be 4 to 8 letters a-z, A-Z or digits")
	}
	return nil
}
