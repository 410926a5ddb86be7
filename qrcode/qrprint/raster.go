package qrprint

import (
	"cmp"
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/hailmark/hailmark/qrcode"
)

// A raster draws shapes into an image. Edges within a pixel are antialiased, edges between
// pixels stay sharp.
type raster struct {
	image *image.RGBA
	lines []edge // the path that is being filled, sorted by top
	cover []float64
}

func newRaster(width, height int) *raster {
	return &raster{image: image.NewRGBA(image.Rect(0, 0, width, height)), cover: make([]float64, width+2)}
}

// An edge is a line of a path from top to bottom, in pixels.
type edge struct {
	top, bottom float64
	x, slope    float64 // x at top, and its change for each pixel downwards
	winding     int     // 1 downwards, -1 upwards
}

// scans is the number of sampled lines per row of pixels. Coverage along a line is exact.
const scans = 8

func (r *raster) fill(p *path, at transform, fill qrcode.Color) {
	r.flatten(p, at)
	if len(r.lines) == 0 {
		return
	}
	slices.SortFunc(r.lines, func(a, b edge) int { return cmp.Compare(a.top, b.top) })
	var active []edge
	next := 0
	height := r.image.Rect.Dy()
	for row := max(0, int(math.Floor(r.lines[0].top))); row < height; row++ {
		if len(active) == 0 && next == len(r.lines) {
			break
		}
		touched := false
		for i := range scans {
			y := float64(row) + (float64(i)+0.5)/scans
			for next < len(r.lines) && r.lines[next].top <= y {
				active = append(active, r.lines[next])
				next++
			}
			active = slices.DeleteFunc(active, func(e edge) bool { return e.bottom <= y })
			if len(active) > 0 {
				r.scan(active, y)
				touched = true
			}
		}
		if touched {
			r.blend(row, fill)
		}
	}
}

// scan adds the coverage at y.
func (r *raster) scan(active []edge, y float64) {
	type crossing struct {
		x       float64
		winding int
	}
	var buffer [64]crossing
	crossings := buffer[:0]
	for _, e := range active {
		crossings = append(crossings, crossing{e.x + (y-e.top)*e.slope, e.winding})
	}
	slices.SortFunc(crossings, func(a, b crossing) int { return cmp.Compare(a.x, b.x) })
	winding := 0
	for i, c := range crossings[:len(crossings)-1] {
		winding += c.winding
		if winding != 0 {
			r.span(c.x, crossings[i+1].x)
		}
	}
}

// span adds a part of a line. Since cover contains differences between pixels, long spans
// cost as little as short ones.
func (r *raster) span(from, to float64) {
	width := float64(r.image.Rect.Dx())
	from, to = min(max(from, 0), width), min(max(to, 0), width)
	if from >= to {
		return
	}
	const share = 1.0 / scans
	// The coverage of pixel i is that of the half line from "from" less that of "to".
	for _, end := range [2]struct{ x, sign float64 }{{from, share}, {to, -share}} {
		i := int(end.x)
		part := float64(i+1) - end.x
		r.cover[i] += end.sign * part
		r.cover[i+1] += end.sign * (1 - part)
	}
}

// blend colors a row by its coverage and clears the coverage.
func (r *raster) blend(row int, fill qrcode.Color) {
	red, green, blue, _ := fill.RGBA()
	channels := [4]float64{float64(red >> 8), float64(green >> 8), float64(blue >> 8), 255}
	pixels := r.image.Pix[row*r.image.Stride:]
	covered := 0.0
	for x := range r.image.Rect.Dx() {
		covered += r.cover[x]
		r.cover[x] = 0
		share := math.Round(covered*255) / 255
		if share <= 0 {
			continue
		}
		share = min(share, 1)
		pixel := pixels[4*x : 4*x+4]
		for i := range pixel {
			pixel[i] = uint8(math.Round(channels[i]*share + float64(pixel[i])*(1-share)))
		}
	}
	clear(r.cover)
}

// flatten replaces the edges with those of p in pixels. Lines deviate from curves by less
// than a twentieth of a pixel.
func (r *raster) flatten(p *path, at transform) {
	r.lines = r.lines[:0]
	var x, y, startX, startY float64
	line := func(toX, toY float64) {
		if e := (edge{y, toY, x, (toX - x) / (toY - y), 1}); y < toY {
			r.lines = append(r.lines, e)
		} else if y > toY {
			r.lines = append(r.lines, edge{toY, y, toX, (toX - x) / (toY - y), -1})
		}
		x, y = toX, toY
	}
	p.each(func(c command, n []float64) {
		var q [6]float64
		for i := range n {
			if i%2 == 0 {
				q[i] = n[i]*at.scaleX + at.x
			} else {
				q[i] = n[i]*at.scaleY + at.y
			}
		}
		switch c {
		case moveTo:
			line(startX, startY)
			x, y, startX, startY = q[0], q[1], q[0], q[1]
		case lineTo:
			line(q[0], q[1])
		case curveTo:
			length := math.Hypot(q[0]-x, q[1]-y) + math.Hypot(q[2]-q[0], q[3]-q[1]) + math.Hypot(q[4]-q[2], q[5]-q[3])
			steps := int(min(100, max(1, math.Ceil(2*math.Sqrt(length)))))
			x0, y0 := x, y
			for i := 1; i <= steps; i++ {
				t := float64(i) / float64(steps)
				u := 1 - t
				line(u*u*u*x0+3*u*u*t*q[0]+3*u*t*t*q[2]+t*t*t*q[4], u*u*u*y0+3*u*u*t*q[1]+3*u*t*t*q[3]+t*t*t*q[5])
			}
		case closePath:
			line(startX, startY)
		case rectangle:
			left, top := q[0], q[1]
			right, bottom := (n[0]+n[2])*at.scaleX+at.x, (n[1]+n[3])*at.scaleY+at.y
			line(startX, startY)
			x, y, startX, startY = left, top, left, top
			line(right, top)
			line(right, bottom)
			line(left, bottom)
			line(left, top)
		}
	})
	line(startX, startY)
}

// bitmap draws an image on the unit square. Each pixel is the mean of the pixels it covers.
func (r *raster) bitmap(p *bitmap, at transform) {
	left, right := min(at.x, at.x+at.scaleX), max(at.x, at.x+at.scaleX)
	top, bottom := min(at.y, at.y+at.scaleY), max(at.y, at.y+at.scaleY)
	bounds := r.image.Rect
	for y := max(0, int(math.Floor(top))); y < min(bounds.Dy(), int(math.Ceil(bottom))); y++ {
		for x := max(0, int(math.Floor(left))); x < min(bounds.Dx(), int(math.Ceil(right))); x++ {
			// The bitmap's share in the pixel, in pixels of the bitmap.
			x0, x1 := (max(float64(x), left)-at.x)/at.scaleX, (min(float64(x+1), right)-at.x)/at.scaleX
			y0, y1 := (max(float64(y), top)-at.y)/at.scaleY, (min(float64(y+1), bottom)-at.y)/at.scaleY
			share := (min(float64(x+1), right) - max(float64(x), left)) * (min(float64(y+1), bottom) - max(float64(y), top))
			c := p.mean(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
			pixel := r.image.Pix[r.image.PixOffset(x, y):][:4]
			for i := range pixel {
				pixel[i] = uint8(math.Round(c[i]*share + float64(pixel[i])*(1-c[3]/255*share)))
			}
		}
	}
}

// mean returns the mean of some pixels with premultiplied alpha.
func (p *bitmap) mean(left, top, right, bottom float64) [4]float64 {
	var sum [4]float64
	n := 0.0
	first := func(v float64, size int) int { return min(size-1, max(0, int(v*float64(size)))) }
	last := func(v float64, size int) int { return min(size-1, max(0, int(math.Ceil(v*float64(size)))-1)) }
	for y := first(top, p.height); y <= max(first(top, p.height), last(bottom, p.height)); y++ {
		for x := first(left, p.width); x <= max(first(left, p.width), last(right, p.width)); x++ {
			c, _ := color.RGBAModel.Convert(p.pixels.NRGBAAt(x, y)).(color.RGBA)
			sum[0] += float64(c.R)
			sum[1] += float64(c.G)
			sum[2] += float64(c.B)
			sum[3] += float64(c.A)
			n++
		}
	}
	for i := range sum {
		sum[i] /= n
	}
	return sum
}
