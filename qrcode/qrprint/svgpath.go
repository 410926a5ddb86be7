package qrprint

import (
	"math"
	"strconv"
	"strings"
)

// parsePath parses SVG 1.1 path data (section 8.3).
func parsePath(data string) (path, error) {
	r := pathReader{rest: data}
	for {
		r.skip()
		if r.rest == "" {
			return r.path, nil
		}
		if !r.command() {
			return path{}, pathProblem()
		}
		if len(r.path.coords) > 2*maxLogoPoints {
			return path{}, logoProblem("at most %d points", maxLogoPoints)
		}
	}
}

func pathProblem() error { return logoProblem("valid path data") }

// A pathReader parses path data.
type pathReader struct {
	rest           string
	name           byte // such as M or l
	previous       byte // the name of the command before, in lowercase
	open           bool // the contour has begun
	path           path
	x, y           float64 // the current point
	startX, startY float64 // where the contour began
	controlX       float64 // the last control point, which S and T mirror
	controlY       float64
}

// A pathCommand draws with its parameters. There's a letter for each parameter: x or y for a coordinate,
// which is relative to the current point if the command's name is in lowercase, n for another number and
// f for a flag.
type pathCommand struct {
	parameters string
	draw       func(r *pathReader, n []float64)
}

// pathCommands contains the commands by their name in lowercase.
var pathCommands = map[byte]pathCommand{
	'm': {"xy", func(r *pathReader, n []float64) { r.begin(n[0], n[1]) }},
	'z': {"", func(r *pathReader, _ []float64) { r.x, r.y = r.startX, r.startY }},
	'l': {"xy", func(r *pathReader, n []float64) { r.line(n[0], n[1]) }},
	'h': {"x", func(r *pathReader, n []float64) { r.line(n[0], r.y) }},
	'v': {"y", func(r *pathReader, n []float64) { r.line(r.x, n[0]) }},
	'c': {"xyxyxy", func(r *pathReader, n []float64) { r.curve(n[0], n[1], n[2], n[3], n[4], n[5]) }},
	's': {"xyxy", func(r *pathReader, n []float64) {
		x, y := r.mirrored("cs")
		r.curve(x, y, n[0], n[1], n[2], n[3])
	}},
	'q': {"xyxy", func(r *pathReader, n []float64) { r.quadratic(n[0], n[1], n[2], n[3]) }},
	't': {"xy", func(r *pathReader, n []float64) {
		x, y := r.mirrored("qt")
		r.quadratic(x, y, n[0], n[1])
	}},
	'a': {"nnnffxy", func(r *pathReader, n []float64) { r.arc(n[0], n[1], n[2], n[3] == 1, n[4] == 1, n[5], n[6]) }},
}

// command reads a command with its parameters, or further parameters of the command before, and draws it.
func (r *pathReader) command() bool {
	if c := r.rest[0]; isLetter(c) && pathCommands[c|' '].draw != nil {
		r.name, r.rest = c, r.rest[1:]
	} else if r.name == 0 || r.name|' ' == 'z' { // nothing has further parameters
		return false
	}
	kind := r.name | ' '
	if kind != 'm' && len(r.path.commands) == 0 { // a path begins with a move
		return false
	}
	command := pathCommands[kind]
	n, ok := r.numbers(command.parameters)
	if !ok {
		return false
	}
	switch {
	case kind == 'm' || kind == 'z':
		r.close()
	case !r.open: // after a closed contour a new one begins where it began
		r.begin(r.x, r.y)
	}
	command.draw(r, n)
	r.previous = kind
	switch r.name { // further points after a move are lines
	case 'M':
		r.name = 'L'
	case 'm':
		r.name = 'l'
	}
	return true
}

func isLetter(c byte) bool { return 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' }

// numbers reads parameters, and makes coordinates absolute.
func (r *pathReader) numbers(parameters string) ([]float64, bool) {
	relative := r.name >= 'a'
	n := make([]float64, len(parameters))
	for i := range n {
		read := r.number
		if parameters[i] == 'f' {
			read = r.flag
		}
		var ok bool
		if n[i], ok = read(); !ok {
			return nil, false
		}
		switch {
		case relative && parameters[i] == 'x':
			n[i] += r.x
		case relative && parameters[i] == 'y':
			n[i] += r.y
		}
	}
	return n, true
}

// begin begins a contour.
func (r *pathReader) begin(x, y float64) {
	r.path.add(moveTo, x, y)
	r.x, r.y, r.startX, r.startY, r.open = x, y, x, y, true
}

// close ends the contour, because fills close it anyway.
func (r *pathReader) close() {
	if r.open {
		r.path.add(closePath)
		r.open = false
	}
}

func (r *pathReader) line(x, y float64) {
	r.path.add(lineTo, x, y)
	r.x, r.y = x, y
}

func (r *pathReader) curve(x1, y1, x2, y2, x, y float64) {
	r.path.add(curveTo, x1, y1, x2, y2, x, y)
	r.x, r.y, r.controlX, r.controlY = x, y, x2, y2
}

func (r *pathReader) quadratic(controlX, controlY, x, y float64) {
	r.path.quadTo(r.x, r.y, controlX, controlY, x, y)
	r.x, r.y, r.controlX, r.controlY = x, y, controlX, controlY
}

// mirrored returns the control point that continues the previous curve, if that was one of these kinds.
func (r *pathReader) mirrored(kinds string) (x, y float64) {
	if strings.IndexByte(kinds, r.previous) < 0 {
		return r.x, r.y
	}
	return 2*r.x - r.controlX, 2*r.y - r.controlY
}

// arc adds an elliptical arc as cubic curves of at most 90 degrees (SVG 1.1, appendix F.6).
func (r *pathReader) arc(rx, ry, degrees float64, large, sweep bool, x, y float64) {
	rx, ry = math.Abs(rx), math.Abs(ry)
	if rx == 0 || ry == 0 || x == r.x && y == r.y {
		r.line(x, y)
		return
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	dx, dy := (r.x-x)/2, (r.y-y)/2
	px, py := cos*dx+sin*dy, cos*dy-sin*dx
	if s := px*px/(rx*rx) + py*py/(ry*ry); s > 1 {
		rx, ry = rx*math.Sqrt(s), ry*math.Sqrt(s)
	}
	d := rx*rx*py*py + ry*ry*px*px
	k := math.Sqrt(max(0, (rx*rx*ry*ry-d)/d))
	if large == sweep {
		k = -k
	}
	cx, cy := k*rx*py/ry, -k*ry*px/rx
	start := math.Atan2((py-cy)/ry, (px-cx)/rx)
	angle := math.Atan2((-py-cy)/ry, (-px-cx)/rx) - start
	if sweep && angle < 0 {
		angle += 2 * math.Pi
	} else if !sweep && angle > 0 {
		angle -= 2 * math.Pi
	}
	centerX, centerY := cos*cx-sin*cy+(r.x+x)/2, sin*cx+cos*cy+(r.y+y)/2
	at := func(u, v float64) (float64, float64) {
		u, v = u*rx, v*ry
		return centerX + cos*u - sin*v, centerY + sin*u + cos*v
	}
	n := max(1, math.Ceil(math.Abs(angle)/(math.Pi/2)-1e-9))
	step := angle / n
	handle := 4.0 / 3 * math.Tan(step/4)
	for i := range int(n) {
		s0, c0 := math.Sincos(start + float64(i)*step)
		s1, c1 := math.Sincos(start + float64(i+1)*step)
		x1, y1 := at(c0-handle*s0, s0+handle*c0)
		x2, y2 := at(c1+handle*s1, s1-handle*c1)
		x3, y3 := at(c1, s1)
		if i == int(n)-1 {
			x3, y3 = x, y
		}
		r.path.add(curveTo, x1, y1, x2, y2, x3, y3)
	}
	r.x, r.y = x, y
}

func (r *pathReader) skip() {
	r.rest = strings.TrimLeft(r.rest, " \t\r\n,")
}

// number parses a number. Numbers may be adjacent: "1.5.5-2" contains three.
func (r *pathReader) number() (float64, bool) {
	r.skip()
	end := numberLength(r.rest)
	n, err := strconv.ParseFloat(r.rest[:end], 64)
	if err != nil || math.Abs(n) > maxCoordinate {
		return 0, false
	}
	r.rest = r.rest[end:]
	return n, true
}

// numberLength returns the length of the number at the beginning of s. It may not be a valid one.
func numberLength(s string) int {
	dot, exponent := false, false
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
		case (c == '-' || c == '+') && (i == 0 || s[i-1]|' ' == 'e'):
		case c == '.' && !dot && !exponent:
			dot = true
		case c|' ' == 'e' && !exponent && i > 0:
			exponent = true
		default:
			return i
		}
	}
	return len(s)
}

// flag parses 0 or 1 without a separator.
func (r *pathReader) flag() (float64, bool) {
	r.skip()
	if r.rest == "" || r.rest[0] != '0' && r.rest[0] != '1' {
		return 0, false
	}
	v := float64(r.rest[0] - '0')
	r.rest = r.rest[1:]
	return v, true
}
