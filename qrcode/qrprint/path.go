package qrprint

import "math"

// A path consists of closed contours with a filled interior. coords contains the points of
// all commands.
type path struct {
	commands []command
	coords   []float64
}

type command uint8

const (
	moveTo    command = iota // x y: a contour begins
	lineTo                   // x y
	curveTo                  // x y, x y, x y: two control points and the end of a cubic curve
	closePath                // the contour ends
	rectangle                // x y width height: a contour of its own
)

// sizes contains each command's number of coordinates.
var sizes = [...]int{moveTo: 2, lineTo: 2, curveTo: 6, closePath: 0, rectangle: 4}

func (p *path) add(c command, coords ...float64) {
	p.commands = append(p.commands, c)
	p.coords = append(p.coords, coords...)
}

// each calls f with each command and its coordinates.
func (p *path) each(f func(c command, n []float64)) {
	rest := p.coords
	for _, c := range p.commands {
		n := rest[:sizes[c]]
		rest = rest[sizes[c]:]
		f(c, n)
	}
}

// quadTo adds a quadratic curve.
func (p *path) quadTo(fromX, fromY, controlX, controlY, x, y float64) {
	p.add(curveTo,
		fromX+(controlX-fromX)*2/3, fromY+(controlY-fromY)*2/3,
		x+(controlX-x)*2/3, y+(controlY-y)*2/3, x, y)
}

// round adds a rectangle with rounded corners. Its reverse makes a hole in a surrounding
// shape.
func (p *path) round(x, y, width, height, radius float64, reverse bool) {
	radius = min(radius, width/2, height/2)
	if radius <= 0 {
		if !reverse {
			p.add(rectangle, x, y, width, height)
			return
		}
		p.add(moveTo, x, y)
		p.add(lineTo, x, y+height)
		p.add(lineTo, x+width, y+height)
		p.add(lineTo, x+width, y)
		p.add(closePath)
		return
	}
	const circle = 0.5522847498307936 // control points of a quarter of a circle
	r, k := radius, radius*(1-circle)
	right, bottom := x+width, y+height
	p.add(moveTo, x+r, y)
	if reverse {
		p.add(curveTo, x+k, y, x, y+k, x, y+r)
		p.add(lineTo, x, bottom-r)
		p.add(curveTo, x, bottom-k, x+k, bottom, x+r, bottom)
		p.add(lineTo, right-r, bottom)
		p.add(curveTo, right-k, bottom, right, bottom-k, right, bottom-r)
		p.add(lineTo, right, y+r)
		p.add(curveTo, right, y+k, right-k, y, right-r, y)
	} else {
		p.add(lineTo, right-r, y)
		p.add(curveTo, right-k, y, right, y+k, right, y+r)
		p.add(lineTo, right, bottom-r)
		p.add(curveTo, right, bottom-k, right-k, bottom, right-r, bottom)
		p.add(lineTo, x+r, bottom)
		p.add(curveTo, x+k, bottom, x, bottom-k, x, bottom-r)
		p.add(lineTo, x, y+r)
		p.add(curveTo, x, y+k, x+k, y, x+r, y)
	}
	p.add(closePath)
}

// bounds returns the bounding box, including control points.
func (p *path) bounds() (left, top, right, bottom float64) {
	left, top, right, bottom = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	p.each(func(c command, n []float64) {
		if c == rectangle {
			n = []float64{n[0], n[1], n[0] + n[2], n[1] + n[3]}
		}
		for i := 0; i < len(n); i += 2 {
			left, right = min(left, n[i]), max(right, n[i])
			top, bottom = min(top, n[i+1]), max(bottom, n[i+1])
		}
	})
	return left, top, right, bottom
}

// A transform scales and then moves a shape to millimeters on a page. Negative scales mirror
// it.
type transform struct{ scaleX, scaleY, x, y float64 }

// then returns the transform that applies t and then u.
func (t transform) then(u transform) transform {
	return transform{
		t.scaleX * u.scaleX, t.scaleY * u.scaleY,
		t.x*u.scaleX + u.x, t.y*u.scaleY + u.y,
	}
}

func (t transform) box(b box) box {
	x, y, width, height := b.x*t.scaleX+t.x, b.y*t.scaleY+t.y, b.width*t.scaleX, b.height*t.scaleY
	return box{min(x, x+width), min(y, y+height), max(width, -width), max(height, -height)}
}

func move(x, y float64) transform { return transform{1, 1, x, y} }

func scale(s, x, y float64) transform { return transform{s, s, x, y} }
