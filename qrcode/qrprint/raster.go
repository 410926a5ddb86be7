package qrprint

import (
	"cmp"
	"image/color"
	"math"
	"slices"
)

// A raster draws shapes row by row. Edges within a pixel are antialiased, edges between pixels stay
// sharp.
type raster struct {
	width, height int
	pixels        []uint8 // of the row, with premultiplied alpha
	layers        []*layer

	// The difference of a layer's coverage from pixel to pixel, where that isn't zero.
	cover    []float64
	from, to int
}

// A layer is a shape: a filled path or an image.
type layer struct {
	bitmap *bitmap
	at     transform

	fill       [4]uint8
	lines      []edge // sorted by top
	next       int    // in lines
	active     []edge // in the row
	isSteady   bool   // all samples of the row have the same spans
	spans      []span // in the row
	fromY, toY int    // it covers pixels in rows from fromY to before toY
}

// An edge is a line of a path from top to bottom, in pixels.
type edge struct {
	top, bottom float64
	x, slope    float64 // x at top, and its change for each pixel downwards
	winding     int     // 1 downwards, -1 upwards
}

// A span is a part of a row, of which so many 255ths are covered.
type span struct{ from, to, share int }

// shades is the number of shares besides 0. With two colors, all shades fit into 4 bits per pixel, which
// makes files with texts a third as large as 255 shades.
const shades = 15

// scans is the number of sampled lines per row of pixels. Coverage along a line is exact.
const scans = 8

func newRaster(width, height int, shapes []shape, toPixels transform) *raster {
	r := &raster{width: width, height: height, pixels: make([]uint8, 4*width), cover: make([]float64, width+2), from: width}
	for _, s := range shapes {
		l := &layer{bitmap: s.bitmap, at: s.at.then(toPixels)}
		red, green, blue, _ := s.fill.screen.RGBA()
		l.fill = [4]uint8{uint8(red >> 8), uint8(green >> 8), uint8(blue >> 8), 255}
		top, bottom := min(l.at.y, l.at.y+l.at.scaleY), max(l.at.y, l.at.y+l.at.scaleY)
		if s.bitmap == nil {
			l.lines = flatten(&s.path, l.at)
			slices.SortFunc(l.lines, func(a, b edge) int { return cmp.Compare(a.top, b.top) })
			top, bottom = math.Inf(1), math.Inf(-1)
			for _, e := range l.lines {
				top, bottom = min(top, e.top), max(bottom, e.bottom)
			}
		}
		if top < bottom {
			l.fromY, l.toY = int(math.Floor(top)), int(math.Ceil(bottom))
			r.layers = append(r.layers, l)
		}
	}
	return r
}

// rows yields the pixels of each row, from the top, and whether they're those of the row above. It can
// be used once.
func (r *raster) rows(yield func(pixels []uint8, isRepeated bool) bool) {
	for y := range r.height {
		isRepeated := y > 0
		for _, l := range r.layers {
			if y >= l.fromY && y <= l.toY && !l.moveTo(r, y) {
				isRepeated = false
			}
		}
		if !isRepeated {
			clear(r.pixels)
			for _, l := range r.layers {
				if y >= l.fromY && y < l.toY {
					l.draw(r, y)
				}
			}
		}
		if !yield(r.pixels, isRepeated) {
			return
		}
	}
}

// moveTo finds the spans in a row and reports whether they're those of the row above.
func (l *layer) moveTo(r *raster, y int) bool {
	if l.bitmap != nil || y == l.toY {
		return false
	}
	if l.isSteady && l.same(y, 0) == scans {
		return true
	}
	l.isSteady = false
	for i := 0; i < scans; {
		sample := sampleAt(y, i)
		for l.next < len(l.lines) && l.lines[l.next].top <= sample {
			l.active = append(l.active, l.lines[l.next])
			l.next++
		}
		l.active = slices.DeleteFunc(l.active, func(e edge) bool { return e.bottom <= sample })
		n := l.same(y, i)
		l.isSteady = n == scans
		if len(l.active) > 0 {
			r.scan(l.active, sample, n)
		}
		i += n
	}
	l.spans = r.collect(l.spans[:0])
	return false
}

func sampleAt(y, i int) float64 { return float64(y) + (float64(i)+0.5)/scans }

// same returns how many samples from i on, in row y, cross the active edges at the same places.
func (l *layer) same(y, i int) int {
	end := math.Inf(1)
	if l.next < len(l.lines) {
		end = l.lines[l.next].top
	}
	for _, e := range l.active {
		if e.slope != 0 {
			return 1
		}
		end = min(end, e.bottom)
	}
	n := 0
	for i+n < scans && (n == 0 || sampleAt(y, i+n) < end) {
		n++
	}
	return n
}

// scan adds the coverage at y, and at the samples that cross the edges at the same places.
func (r *raster) scan(active []edge, y float64, samples int) {
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
			r.add(c.x, crossings[i+1].x, float64(samples)/scans)
		}
	}
}

// add adds a part of a line, which stands for a share of the row's height. Since cover contains
// differences between pixels, long parts cost as little as short ones.
func (r *raster) add(from, to, share float64) {
	width := float64(r.width)
	from, to = min(max(from, 0), width), min(max(to, 0), width)
	if from >= to {
		return
	}
	// The coverage of pixel i is that of the half line from "from" less that of "to".
	for _, end := range [2]struct{ x, sign float64 }{{from, share}, {to, -share}} {
		i := int(end.x)
		part := float64(i+1) - end.x
		r.cover[i] += end.sign * part
		r.cover[i+1] += end.sign * (1 - part)
	}
	r.from, r.to = min(r.from, int(from)), max(r.to, int(to)+2)
}

// collect turns the coverage into spans, and clears it.
func (r *raster) collect(spans []span) []span {
	covered := 0.0
	for x := r.from; x < min(r.to, r.width); x++ {
		covered += r.cover[x]
		share := 255 / shades * min(shades, int(math.Round(covered*shades)))
		if n := len(spans); n > 0 && spans[n-1].share == share && spans[n-1].to == x {
			spans[n-1].to++
		} else if share > 0 {
			spans = append(spans, span{x, x + 1, share})
		}
	}
	if r.from < r.to {
		clear(r.cover[r.from:r.to])
	}
	r.from, r.to = r.width, 0
	return spans
}

// draw colors the spans, or the image's part, in a row.
func (l *layer) draw(r *raster, y int) {
	if l.bitmap != nil {
		r.bitmap(l.bitmap, l.at, y)
		return
	}
	for _, s := range l.spans {
		for x := s.from; x < s.to; x++ {
			pixel := (*[4]uint8)(r.pixels[4*x:])
			if s.share == 255 {
				*pixel = l.fill
				continue
			}
			for i := range pixel {
				pixel[i] = uint8((int(l.fill[i])*s.share + int(pixel[i])*(255-s.share) + 127) / 255)
			}
		}
	}
}

// flatten returns the edges of p in pixels. Lines deviate from curves by less than a twentieth of a
// pixel.
func flatten(p *path, at transform) (lines []edge) {
	var x, y, startX, startY float64
	line := func(toX, toY float64) {
		if e := (edge{y, toY, x, (toX - x) / (toY - y), 1}); y < toY {
			lines = append(lines, e)
		} else if y > toY {
			lines = append(lines, edge{toY, y, toX, (toX - x) / (toY - y), -1})
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
	return lines
}

// bitmap draws an image on the unit square. Each pixel is the mean of the pixels it covers.
func (r *raster) bitmap(p *bitmap, at transform, y int) {
	left, right := min(at.x, at.x+at.scaleX), max(at.x, at.x+at.scaleX)
	top, bottom := min(at.y, at.y+at.scaleY), max(at.y, at.y+at.scaleY)
	for x := max(0, int(math.Floor(left))); x < min(r.width, int(math.Ceil(right))); x++ {
		// The bitmap's share in the pixel, in pixels of the bitmap.
		x0, x1 := (max(float64(x), left)-at.x)/at.scaleX, (min(float64(x+1), right)-at.x)/at.scaleX
		y0, y1 := (max(float64(y), top)-at.y)/at.scaleY, (min(float64(y+1), bottom)-at.y)/at.scaleY
		share := (min(float64(x+1), right) - max(float64(x), left)) * (min(float64(y+1), bottom) - max(float64(y), top))
		c := p.mean(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
		pixel := r.pixels[4*x:][:4]
		for i := range pixel {
			pixel[i] = uint8(math.Round(c[i]*share + float64(pixel[i])*(1-c[3]/255*share)))
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
