package scan

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"rsc.io/qr/coding"
)

// TestMasksThatQuircReads draws large versions at level M under each of the eight masks,
// with four pixels for a module. jsQR must read all of them. The log has the masks that
// quirc reads: not all from version 22 up, and hardly any from version 28 up.
func TestMasksThatQuircReads(t *testing.T) {
	jsqrAndQuirc(t)
	random := rand.New(rand.NewPCG(31, 32))
	dir := t.TempDir()
	step := 8
	if full {
		step = 1
	}
	for version := 16; version <= 40; version += step {
		text := randomLink(random, coding.Version(version).DataBytes(coding.M)-10)
		var files []string
		for mask := range coding.Mask(8) {
			plan, err := coding.NewPlan(coding.Version(version), coding.M, mask)
			require.NoError(t, err)
			code, err := plan.Encode(coding.String(text))
			require.NoError(t, err)
			img := encode(t, centered(4*(code.Size+8), code.Size, code.Black))
			files = append(files, filepath.Join(dir, temporary()+".png"))
			require.NoError(t, os.WriteFile(files[mask], img, 0o600))
		}
		var read []string
		for mask, line := range runLines(t, "jsqr-quirc.mjs", files) {
			var texts [2]string // by jsQR and by quirc
			require.NoError(t, json.Unmarshal([]byte(line), &texts))
			require.Equal(t, text, texts[0], "jsQR, version %d, mask %d", version, mask)
			if texts[1] == text {
				read = append(read, fmt.Sprint(mask))
			}
		}
		t.Logf("version %d: quirc reads masks %s", version, strings.Join(read, " "))
	}
}
