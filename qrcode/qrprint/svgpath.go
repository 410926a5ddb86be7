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
		if strings.IndexByte("MmLlHhVvCcSsQqTtAaZz", r.rest[0]) >= 0 {
			r.name = r.rest[0]
			r.rest = r.rest[1:]
		} else if r.name == 0 || r.name|' ' == 'z' {
			return path{}, pathProblem()
		}
		if !r.command() {
			return path{}, pathProblem()
		}
		if len(r.path.coords) > 2*maxLogoPoints {
			return path{}, logoProblem("has more than %d points; simplify it in a drawing program", maxLogoPoints)
		}
	}
}

func pathProblem() error { return logoProblem("has invalid path data") }

// A pathReader parses path data.
type pathReader struct {
	rest           string
	name           byte // such as M or l
	open           bool // the contour has begun
	path           path
	x, y           float64 // the current point
	startX, startY float64 // where the contour began
	controlX       float64 // the last control point, which S and T mirror
	controlY       float64
	controlOf      byte // c or q, the kind of curve that the control point belongs to
}

func (r *pathReader) command() bool {
	relative := r.name >= 'a'
	kind := r.name | ' '
	if kind != 'm' && len(r.path.commands) == 0 { // a path begins with a move
		return false
	}
	originX, originY := 0.0, 0.0
	if relative {
		originX, originY = r.x, r.y
	}
	counts := map[byte]int{'m': 2, 'l': 2, 'h': 1, 'v': 1, 'c': 6, 's': 4, 'q': 4, 't': 2, 'a': 7, 'z': 0}
	n := make([]float64, counts[kind])
	for i := range n {
		var ok bool
		if kind == 'a' && (i == 3 || i == 4) {
			n[i], ok = r.flag()
		} else {
			n[i], ok = r.number()
		}
		if !ok {
			return false
		}
	}
	if kind != 'a' && kind != 'h' && kind != 'v' {
		for i := range n {
			n[i] += [2]float64{originX, originY}[i%2]
		}
	}
	if kind != 'm' && kind != 'z' && !r.open { // after a closed contour a new one begins where it began
		r.path.add(moveTo, r.x, r.y)
		r.startX, r.startY, r.open = r.x, r.y, true
	}
	controlOf := byte(0)
	switch kind {
	case 'm':
		r.close()
		r.path.add(moveTo, n[0], n[1])
		r.x, r.y, r.startX, r.startY, r.open = n[0], n[1], n[0], n[1], true
		r.name-- // further points are lines: L follows M, and l follows m
	case 'z':
		r.close()
		r.x, r.y = r.startX, r.startY
	case 'l':
		r.line(n[0], n[1])
	case 'h':
		r.line(originX+n[0], r.y)
	case 'v':
		r.line(r.x, originY+n[0])
	case 'c', 's':
		if kind == 's' {
			x, y := r.mirrored('c')
			n = append([]float64{x, y}, n...)
		}
		r.path.add(curveTo, n...)
		r.controlX, r.controlY, controlOf = n[2], n[3], 'c'
		r.x, r.y = n[4], n[5]
	case 'q', 't':
		if kind == 't' {
			x, y := r.mirrored('q')
			n = append([]float64{x, y}, n...)
		}
		r.path.quadTo(r.x, r.y, n[0], n[1], n[2], n[3])
		r.controlX, r.controlY, controlOf = n[0], n[1], 'q'
		r.x, r.y = n[2], n[3]
	case 'a':
		r.arc(n[0], n[1], n[2], n[3] == 1, n[4] == 1, originX+n[5], originY+n[6])
	}
	r.controlOf = controlOf
	return true
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

// mirrored returns the control point that continues the previous curve, if it was the same
// kind.
func (r *pathReader) mirrored(kind byte) (x, y float64) {
	if r.controlOf != kind {
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
	end, dot, exponent := 0, false, false
	for ; end < len(r.rest); end++ {
		c := r.rest[end]
		switch {
		case '0' <= c && c <= '9':
		case (c == '-' || c == '+') && (end == 0 || r.rest[end-1]|' ' == 'e'):
		case c == '.' && !dot && !exponent:
			dot = true
		case c|' ' == 'e' && !exponent && end > 0:
			exponent = true
		default:
			goto done
		}
	}
done:
	n, err := strconv.ParseFloat(r.rest[:end], 64)
	if err != nil || math.Abs(n) > maxCoordinate {
		return 0, false
	}
	r.rest = r.rest[end:]
	return n, true
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
