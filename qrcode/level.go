package qrcode

import (
	"rsc.io/qr/coding"

	"github.com/hailmark/hailmark/problem"
)

// A Level is the share of a symbol that may be damaged and still be read.
type Level uint8

// The levels of ISO/IEC 18004, with the share of codewords that each restores.
const (
	LevelL Level = iota // 7 %
	LevelM              // 15 %
	LevelQ              // 25 %
	LevelH              // 30 %
)

// letters are the names of the levels, in their order.
const letters = "LMQH"

// ParseLevel returns the level with the letter L, M, Q or H. Its error has
// [CodeInvalidLevel].
func ParseLevel(s string) (Level, error) {
	for l := range Level(len(letters)) {
		if s == l.String() {
			return l, nil
		}
	}
	return 0, levelProblem()
}

// String returns the letter of the level.
func (l Level) String() string {
	if l > LevelH {
		return "invalid"
	}
	return letters[l : l+1]
}

// MarshalText returns the letter of the level. A value that is not a level is an error.
func (l Level) MarshalText() ([]byte, error) {
	if l > LevelH {
		return nil, levelProblem()
	}
	return []byte(l.String()), nil
}

// UnmarshalText reads what [ParseLevel] reads.
func (l *Level) UnmarshalText(text []byte) error {
	level, err := ParseLevel(string(text))
	if err == nil {
		*l = level
	}
	return err
}

func levelProblem() problem.Problem {
	return problem.New(CodeInvalidLevel, "level must be L, M, Q or H")
}

// coding returns the level of rsc.io/qr/coding, which has the same order.
func (l Level) coding() coding.Level { return coding.Level(l) }
