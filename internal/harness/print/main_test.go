package print

import (
	"fmt"
	"os"
	"testing"

	"github.com/hailmark/hailmark/internal/testenv"
)

func TestMain(m *testing.M) {
	if testenv.RaceEnabled {
		fmt.Println("skipped: nearly all of the time is for interpreters and decoders, which have no race detector")
		return
	}
	os.Exit(m.Run())
}
