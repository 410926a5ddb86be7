package qrcode

import (
	"strings"

	"rsc.io/qr/coding"

	"github.com/hailmark/hailmark/problem"
)

// A Level specifies how much of a symbol may be damaged. The zero Level is [LevelL], so a minimum
// level of zero requires nothing.
type Level uint8

// The levels of ISO/IEC 18004, with the share of codewords they restore.
const (
	LevelL Level = iota // 7%
	LevelM              // 15%
	LevelQ              // 25%
	LevelH              // 30%
)

const letters = "LMQH"

// String returns the letter.
func (l Level) String() string {
	if l > LevelH {
		return "invalid"
	}
	return letters[l : l+1]
}

// MarshalText implements [encoding.TextMarshaler]. An invalid level is an error.
func (l Level) MarshalText() ([]byte, error) {
	if l > LevelH {
		return nil, levelProblem()
	}
	return []byte(l.String()), nil
}

// ParseLevel parses L, M, Q or H, in either case. The error is a [problem.Problem] with
// [CodeInvalidLevel].
func ParseLevel(s string) (Level, error) {
	if i := strings.Index(letters, strings.ToUpper(s)); len(s) == 1 && i >= 0 {
		return Level(i), nil
	}
	return 0, levelProblem()
}

// UnmarshalText implements [encoding.TextUnmarshaler] with [ParseLevel].
func (l *Level) UnmarshalText(text []byte) error {
	level, err := ParseLevel(string(text))
	if err == nil {
		*l = level
	}
	return err
}

func levelProblem() problem.Problem {
	return problem.New("minLevel", CodeInvalidLevel, "level isn't L, M, Q or H")
}

// coding returns the level in rsc.io/qr/coding, which uses the same order.
func (l Level) coding() coding.Level { return coding.Level(l) }
