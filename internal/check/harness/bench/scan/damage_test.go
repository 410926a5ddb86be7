package scan

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/qrcode"
)

// promises is the share of codewords that each level restores.
var promises = map[qrcode.Level]float64{qrcode.LevelM: 0.15, qrcode.LevelQ: 0.25, qrcode.LevelH: 0.30}

// TestDamage puts the same random blots on symbols of package qrcode and of libqrencode,
// of the same version and level, and compares how often they are still read. The blots
// spare the finder patterns, which have no error correction, and cover up to as much of the
// symbol as the level promises to restore. Since a blot damages codewords that it only
// touches, not all can be read.
func TestDamage(t *testing.T) {
	testenv.Slow(t)
	testenv.Needs(t, "qrencode", "Debian package qrencode")
	random := rand.New(rand.NewPCG(3, 4))
	n := 150
	if full {
		n = 3000
	}
	const scale = 6
	pairs, ours, theirs := map[qrcode.Level]int{}, map[qrcode.Level]int{}, map[qrcode.Level]int{}
	for range n {
		text := "https://wa.me/" + randomWords(random, 3+random.IntN(30)) // mostly level Q
		if random.IntN(2) == 0 {
			text += "?text=" + randomWords(random, random.IntN(120)) // mostly level M
		}
		symbol, err := qrcode.Encode(text, qrcode.EncodeOptions{})
		require.NoError(t, err)
		other := qrencode(t, text, symbol)
		if len(other) != symbol.Size() {
			continue // libqrencode needs a larger version
		}
		level := symbol.Level()
		blots := randomBlots(random, symbol.Size(), random.Float64()*promises[level])
		pairs[level]++
		if gozxingText(damaged(symbol.Size(), scale, blots, symbol.Dark)) == text {
			ours[level]++
		}
		if gozxingText(damaged(symbol.Size(), scale, blots, func(x, y int) bool { return other[y][x] })) == text {
			theirs[level]++
		}
	}
	for level, n := range pairs {
		t.Logf("level %v: of %d, %d read from qrcode, %d from libqrencode", level, n, ours[level], theirs[level])
		// Two counts of the same chance differ by more than three deviations once in 400 times.
		p := float64(ours[level]+theirs[level]) / float64(2*n)
		require.GreaterOrEqual(t, float64(ours[level]), float64(theirs[level])-3*math.Sqrt(2*float64(n)*p*(1-p)), "level %v", level)
	}
}

func randomWords(random *rand.Rand, n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789%%ABCDEF"
	var b strings.Builder
	for range n {
		b.WriteByte(letters[random.IntN(len(letters))])
	}
	return b.String()
}

// qrencode returns the rows of libqrencode's symbol.
func qrencode(t *testing.T, text string, like qrcode.Symbol) [][]bool {
	t.Helper()
	out, err := exec.Command("qrencode", "--8bit", "--level", like.Level().String(), "--symversion", fmt.Sprint(like.Version()),
		"--margin", "0", "--type", "ASCII", "--output", "-", text).Output()
	require.NoError(t, err)
	var rows [][]bool
	for line := range strings.Lines(string(out)) {
		var row []bool
		for i := 0; i+1 < len(line); i += 2 { // two characters to a module
			row = append(row, line[i] == '#')
		}
		rows = append(rows, row)
	}
	return rows
}

// A blot is a disc, in modules.
type blot struct {
	x, y, radius float64
	dark         bool
}

func randomBlots(random *rand.Rand, size int, share float64) []blot {
	var blots []blot
	for left := share * float64(size*size); ; {
		b := blot{random.Float64() * float64(size), random.Float64() * float64(size), 0.7 + 2*random.Float64(), random.IntN(2) == 0}
		if left -= math.Pi * b.radius * b.radius; left < 0 {
			return blots
		}
		blots = append(blots, b)
	}
}

// damaged draws a symbol with blots on it.
func damaged(size, scale int, blots []blot, dark func(x, y int) bool) image.Image {
	const quiet, finder = 4, 8
	img := image.NewGray(image.Rect(0, 0, (size+2*quiet)*scale, (size+2*quiet)*scale))
	for py := range img.Rect.Dy() {
		for px := range img.Rect.Dx() {
			x, y := px/scale-quiet, py/scale-quiet
			inside := x >= 0 && y >= 0 && x < size && y < size
			inFinder := x < finder && (y < finder || y >= size-finder) || x >= size-finder && y < finder
			d := inside && dark(x, y)
			if inside && !inFinder {
				fx, fy := float64(px)/float64(scale)-quiet, float64(py)/float64(scale)-quiet
				for _, b := range blots {
					if math.Hypot(fx-b.x, fy-b.y) < b.radius {
						d = b.dark
					}
				}
			}
			if !d {
				img.SetGray(px, py, color.Gray{255})
			}
		}
	}
	return img
}
