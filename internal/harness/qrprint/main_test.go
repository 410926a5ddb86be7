package qrprint

import (
	"testing"

	"github.com/hailmark/hailmark/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }
