package qrcode

import (
	"rsc.io/qr/coding"

	"github.com/hailmark/hailmark/problem"
)

// A Level specifies how much of a symbol may be damaged.
type Level uint8

// The levels of ISO/IEC 18004, with the share of codewords they restore.
const (
	LevelL Level = iota // 7 %
	LevelM              // 15 %
	LevelQ              // 25 %
	LevelH              // 30 %
)

const letters = "LMQH"

// ParseLevel parses L, M, Q or H. Its error contains the code invalid_level.
func ParseLevel(s string) (Level, error) {
	for l := range Level(len(letters)) {
		if s == l.String() {
			return l, nil
		}
	}
	return 0, levelProblem()
}

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

// UnmarshalText implements [encoding.TextUnmarshaler] with [ParseLevel].
func (l *Level) UnmarshalText(text []byte) error {
	level, err := ParseLevel(string(text))
	if err == nil {
		*l = level
	}
	return err
}

func levelProblem() problem.Problem {
	return problem.New(codeInvalidLevel, "level must be L, M, Q or H")
}

// coding returns the level in rsc.io/qr/coding, which uses the same order.
func (l Level) coding() coding.Level { return coding.Level(l) }
