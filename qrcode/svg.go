package qrcode

import (
	"bytes"
	"fmt"
	"strconv"

	svg "github.com/ajstarks/svgo"
)

// appendSVG appends s as an SVG whose unit is the module. The path strokes each run
// of dark modules with a line as wide as a module; the viewBox is half a module off,
// so that lines through the middle of modules have whole coordinates.
func (s Symbol) appendSVG(dst []byte, opts Options) []byte {
	side := s.Size() + 2*quietZone
	buf := bytes.NewBuffer(dst)
	canvas := svg.New(buf)
	canvas.Startraw(fmt.Sprintf(`viewBox="0 -.5 %d %d"`, side, side), `shape-rendering="crispEdges"`)
	if opts.Background != Transparent() {
		canvas.Rect(0, -1, side, side+1, fmt.Sprintf(`fill="%s"`, opts.Background.css()))
	}
	canvas.Path(s.runs(), fmt.Sprintf(`stroke="%s"`, opts.Foreground.css()))
	canvas.End()
	return buf.Bytes()
}

// runs returns the path data: for each run of dark modules a move from the end of the
// one before, and a line along it. The first move is from the origin.
func (s Symbol) runs() string {
	var d []byte
	penX, penY := 0, 0
	for y := range s.Size() {
		for x := 0; x < s.Size(); x++ {
			start := x
			for s.Dark(x, y) {
				x++
			}
			if x == start {
				continue
			}
			d = append(d, 'm')
			d = strconv.AppendInt(d, int64(quietZone+start-penX), 10)
			d = append(d, ' ')
			d = strconv.AppendInt(d, int64(quietZone+y-penY), 10)
			d = append(d, 'h')
			d = strconv.AppendInt(d, int64(x-start), 10)
			penX, penY = quietZone+x, quietZone+y
		}
	}
	return string(d)
}

// css returns the colour as CSS writes it, in three digits where they do.
func (c Color) css() string {
	hex := c.String()
	if hex[0] == hex[1] && hex[2] == hex[3] && hex[4] == hex[5] {
		return "#" + hex[0:1] + hex[2:3] + hex[4:5]
	}
	return "#" + hex
}
