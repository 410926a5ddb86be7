package qrprint

import (
	"math"
	"strings"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// The limits of lengths and resolutions.
const (
	MinSize     = 4    // millimetres, of Code.Size
	MaxSize     = 1000 // millimetres, of Code.Size
	DefaultSize = 25   // millimetres
	MaxModule   = 50   // millimetres, of Code.Module
	MaxBleed    = 20   // millimetres
	MinDPI      = 72
	MaxDPI      = 4800
)

// A Code is a QR code for paper, with its caption, frame and logo. Lengths are in
// millimetres.
type Code struct {
	// Text is the content of the code.
	Text string

	// Size is the width of the symbol, without its quiet zone, from MinSize to MaxSize. 0
	// stands for the width that Module results in. If both are 0, the width is DefaultSize,
	// or on a sheet or poster the largest that fits.
	Size float64

	// Module is the width of a module, from MinModule to MaxModule. Set at most one of
	// Size and Module.
	Module float64

	// DPI is the resolution of the printer in dots per inch, from MinDPI to MaxDPI. With it,
	// every module has the same whole number of dots: the number nearest to Module, or the
	// largest that keeps the symbol within Size. 0 leaves the width as it is, which suits
	// print shops.
	DPI int

	// MinLevel is the lowest level of error correction to use.
	MinLevel qrcode.Level

	// Margin is the width of the quiet zone in modules, from 4 to qrcode.MaxMargin. 0 stands
	// for 4. qrcode.NoMargin leaves it out, for a code that is placed on a light area.
	Margin int

	// Caption is printed below the code, or beside it on a wide label. Newlines break
	// lines.
	Caption string

	// Frame is a call to action, such as "Chat with us". It is printed below the code,
	// light on dark, in a frame around code and caption.
	Frame string

	// Logo is printed in the middle of the code. The version of the symbol is the smallest
	// in which every block of codewords keeps half of its error correction.
	Logo *Logo

	// LogoShare is the largest share of the symbol's width that the logo and the light
	// modules around it may take, from 0.05 to 0.5. 0 stands for DefaultLogoShare.
	LogoShare float64

	// Foreground is the colour of the dark modules, the frame and the texts. The zero Color
	// stands for black, which is printed with black ink alone.
	Foreground qrcode.Color

	// Background is the colour of the light modules and the quiet zone, or
	// qrcode.Transparent. The zero Color stands for white.
	Background qrcode.Color

	// Title is the title of the file. "" stands for Text.
	Title string

	// Bleed is the width by which the background extends beyond the trimmed page, from 0 to
	// MaxBleed. With a bleed, the quiet zone is SafeDistance away from the edge. It has no
	// effect on a sheet or poster.
	Bleed float64
}

// SafeDistance is the distance in millimetres between the edge of trimmed paper and the
// nearest thing that must not be cut off.
const SafeDistance = 3

// Page returns a page of the size of the code, its quiet zone and its texts. Its error is a
// problem.List of everything that is wrong with the code.
func (c Code) Page() (*Page, error) {
	l, err := newLayout(c)
	if err != nil {
		return nil, err
	}
	f, err := l.figure(area{})
	if err != nil {
		return nil, err
	}
	inset := 0.0
	if c.Bleed > 0 {
		inset = dots(SafeDistance, c.DPI, math.Ceil)
	}
	p := &Page{
		width:  dots(f.width+2*inset, c.DPI, math.Ceil),
		height: dots(f.height+2*inset, c.DPI, math.Ceil),
		bleed:  dots(c.Bleed, c.DPI, math.Ceil),
		dpi:    c.DPI,
		title:  l.title(),
	}
	p.warnings = f.warnings
	p.background(l.background)
	p.place(f, inset, inset, false)
	return p, nil
}

// A layout is a code that was checked, with its symbol.
type layout struct {
	Code
	symbol     qrcode.Symbol
	clearWidth int // modules that the logo covers
	clearTall  int
	margin     int // modules
	foreground qrcode.Color
	background qrcode.Color
	warnings   problem.List
}

var (
	black = qrcode.RGB(0, 0, 0)
	white = qrcode.RGB(255, 255, 255)
)

func newLayout(c Code) (*layout, error) {
	l := &layout{Code: c, margin: c.Margin, foreground: c.Foreground, background: c.Background}
	if l.foreground == (qrcode.Color{}) {
		l.foreground = black
	}
	if l.background == (qrcode.Color{}) {
		l.background = white
	}
	switch l.margin {
	case 0:
		l.margin = 4
	case qrcode.NoMargin:
		l.margin = 0
	}
	list := c.problems()
	if c.Text == "" {
		list = append(list, problem.New(qrcode.CodeMissingText, "text must not be empty: a QR code without text cannot be scanned"))
	}
	if list != nil {
		return nil, list
	}
	var err error
	if c.Logo == nil {
		l.symbol, err = qrcode.Encode(c.Text, qrcode.EncodeOptions{MinLevel: c.MinLevel})
	} else {
		err = l.encodeWithLogo()
	}
	if err != nil {
		return nil, err
	}
	l.warnings = c.warnings()
	return l, nil
}

// problems returns what is wrong with the fields of c but Text.
func (c *Code) problems() problem.List {
	var list problem.List
	between := func(field string, v, least, most float64) {
		if v != 0 && !(least <= v && v <= most) {
			list = append(list, problem.New(CodeInvalidLength, "%s must be from %g to %g mm; got %g", field, least, most, v))
		}
	}
	between("size", c.Size, MinSize, MaxSize)
	between("module", c.Module, MinModule, MaxModule)
	if c.Size != 0 && c.Module != 0 {
		list = append(list, problem.New(CodeInvalidLength, "give either the size of the code or the size of a module, not both"))
	}
	between("bleed", c.Bleed, 0, MaxBleed)
	if c.DPI != 0 && (c.DPI < MinDPI || c.DPI > MaxDPI) {
		list = append(list, problem.New(CodeInvalidDPI, "resolution must be from %d to %d dpi; got %d", MinDPI, MaxDPI, c.DPI))
	}
	options := c.options()
	list = append(list, problem.All(options.Validate())...)
	list = append(list, checkText("caption", c.Caption)...)
	list = append(list, checkText("frame", c.Frame)...)
	if c.LogoShare != 0 && !(minLogoShare <= c.LogoShare && c.LogoShare <= maxLogoShare) {
		list = append(list, problem.New(CodeLogoTooLarge, "logo must take from %g to %g of the width of the code; got %g", minLogoShare, maxLogoShare, c.LogoShare))
	}
	return list
}

func (c *Code) options() qrcode.Options {
	return qrcode.Options{Format: qrcode.SVG, MinLevel: c.MinLevel, Margin: c.Margin, Foreground: c.Foreground, Background: c.Background}
}

// warnings returns the warnings that do not depend on the size.
func (c *Code) warnings() problem.List {
	list := qrcode.Warnings(c.options())
	foreground, background := c.Foreground, c.Background
	if foreground == (qrcode.Color{}) {
		foreground = black
	}
	if background == (qrcode.Color{}) || background == qrcode.Transparent() {
		background = white
	}
	if contrast := math.Abs(reflectance(foreground) - reflectance(background)); contrast < MinSymbolContrast {
		list = append(list, problem.New(CodeWeakContrast,
			"the colours differ by %.0f %% in reflectance; printed codes need at least %.0f %%: choose a darker foreground or a lighter background",
			100*contrast, 100*MinSymbolContrast))
	}
	if c.Margin == qrcode.NoMargin {
		list = append(list, problem.New(CodeNoQuietZone, "the code has no quiet zone: leave 4 modules on every side light"))
	}
	return list
}

// reflectance returns the share of light that a colour reflects: its relative luminance in
// sRGB (IEC 61966-2-1).
func reflectance(c qrcode.Color) float64 {
	linear := func(v uint32) float64 {
		s := float64(v) / 0xFFFF
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	r, g, b, _ := c.RGBA()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

func (l *layout) title() string {
	if l.Title != "" {
		return l.Title
	}
	return l.Text
}

// An area is the room for a figure. The zero area is unlimited.
type area struct{ width, height float64 }

// A figure is a code with its texts, drawn from its upper left corner.
type figure struct {
	width, height float64
	shapes        []shape
	links         []link
	measure       Measure
	warnings      problem.List
}

// A plan is the arrangement of a figure for one size of modules.
type plan struct {
	module        float64
	side          float64 // width of the symbol with its quiet zone
	border        float64 // thickness of the frame
	caption       block
	beside        bool // the caption is at the right of the code
	band          block
	bandHeight    float64
	width, height float64
	fits          bool // the texts fit in a legible size
}

// The default font sizes and other lengths as shares of the width of the code with its
// quiet zone.
const (
	captionSize = 0.11
	bandSize    = 0.13
	frameWidth  = 0.03
	frameRadius = 0.07
)

// maxLines is the number of lines that a caption may break into.
const maxLines = 3

func (l *layout) plan(module float64, room area, beside bool) plan {
	p := plan{module: module, beside: beside, fits: true}
	p.side = module * float64(l.symbol.Modules()+2*l.margin)
	if l.Frame != "" {
		p.border = dots(max(p.side*frameWidth, 0.5), l.DPI, math.Ceil)
		var fits bool
		p.band, fits = fitText(l.Frame, p.side*0.92, fontSize(p.side*bandSize), 2)
		p.fits = p.fits && fits
		p.bandHeight = p.band.height() + 0.4*p.band.size - p.border
	}
	p.width = p.side + 2*p.border
	p.height = p.side + 2*p.border + p.bandHeight
	if l.Caption == "" {
		return p
	}
	var fits bool
	if beside {
		width := (room.width - p.width) * 0.97
		p.caption, fits = fitText(l.Caption, width, fontSize(p.side*captionSize*1.2), 2*maxLines)
		p.width = room.width
		fits = fits && p.caption.height() <= room.height
	} else {
		p.caption, fits = fitText(l.Caption, p.side, fontSize(p.side*captionSize), maxLines)
		p.height += p.caption.height() + captionGap*p.caption.size
	}
	p.fits = p.fits && fits
	return p
}

// captionGap is the space below a caption, in font sizes.
const captionGap = 0.3

// wideLabel is the ratio of width to height from which the caption is beside the code.
const wideLabel = 1.5

// figure draws the code in the room that it has, with the caption beside it if the room is
// wide.
func (l *layout) figure(room area) (*figure, error) {
	return l.arranged(room, room.width > wideLabel*room.height && l.Caption != "" && l.Frame == "")
}

// figureBelow draws the code in the room that it has, with the caption below it.
func (l *layout) figureBelow(room area) (*figure, error) { return l.arranged(room, false) }

func (l *layout) arranged(room area, beside bool) (*figure, error) {
	n := float64(l.symbol.Modules())
	var p plan
	switch {
	case l.Module != 0:
		p = l.plan(l.dotModule(l.Module, math.Round), room, beside)
	case l.Size != 0 || room == (area{}):
		size := l.Size
		if size == 0 {
			size = DefaultSize
		}
		p = l.plan(l.dotModule(size/n, math.Floor), room, beside)
	default:
		p = l.largest(room, beside)
	}
	if err := l.check(p, room); err != nil {
		return nil, err
	}
	return l.draw(p), nil
}

// largest returns the plan with the largest modules for the room.
func (l *layout) largest(room area, beside bool) plan {
	within := func(module float64) bool {
		p := l.plan(module, room, beside)
		return p.width <= room.width+1e-9 && p.height <= room.height+1e-9
	}
	low, high := 0.0, min(room.width, room.height)/float64(l.symbol.Modules()+2*l.margin)
	if beside { // leave room for the caption
		const codeShare = 0.62
		high = min(high, codeShare*room.width/float64(l.symbol.Modules()+2*l.margin))
	}
	if within(high) {
		low = high
	}
	for high-low > 1e-5 {
		if middle := (low + high) / 2; within(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return l.plan(l.dotModule(low, math.Floor), room, beside)
}

// dotModule returns the width of a module in whole printer dots, at least one.
func (l *layout) dotModule(module float64, round func(float64) float64) float64 {
	if l.DPI == 0 {
		return module
	}
	return max(dots(module, l.DPI, round), inch/float64(l.DPI))
}

// check returns why the plan cannot be printed.
func (l *layout) check(p plan, room area) error {
	var list problem.List
	n := float64(l.symbol.Modules())
	if p.module < MinModule-1e-9 {
		least := l.dotModule(MinModule, math.Ceil)
		list = append(list, problem.New(CodeModuleTooSmall,
			"modules must be at least %g mm wide to be read; this code has %.0f modules of %.3f mm: make it at least %.1f mm wide%s, or shorten the text",
			float64(MinModule), n, p.module, math.Ceil(least*n*10)/10, l.withRoom(room)))
	}
	if room != (area{}) && (p.width > room.width+1e-6 || p.height > room.height+1e-6) {
		list = append(list, problem.New(CodeCodeDoesNotFit,
			"code with its quiet zone and texts must fit into %.1f x %.1f mm; it takes %.1f x %.1f mm: make it smaller, or leave its size out",
			room.width, room.height, p.width, p.height))
	}
	if !p.fits && list == nil {
		list = append(list, problem.New(CodeTextDoesNotFit,
			"caption and frame must be printed in letters of at least 5 points; beside a code of %.1f mm they do not fit: shorten them, or make the code larger",
			p.module*n))
	}
	return list.Err()
}

func (l *layout) withRoom(room area) string {
	if room == (area{}) {
		return ""
	}
	return " on a larger label or paper"
}

func (l *layout) draw(p plan) *figure {
	f := &figure{width: p.width, height: p.height, warnings: append(problem.List(nil), l.warnings...)}
	if p.module < SafeModule-1e-9 {
		f.warnings = append(f.warnings, problem.New(CodeSmallModule,
			"modules of %.2f mm are not read by all scanners: from %.2f mm they are, which is a code of %.1f mm",
			p.module, float64(SafeModule), math.Ceil(10*l.dotModule(SafeModule, math.Ceil)*float64(l.symbol.Modules()))/10))
	}
	quiet := p.module * float64(l.margin)
	codeWidth := p.side + 2*p.border
	f.measure = Measure{
		Symbol: l.symbol, Module: p.module,
		X: p.border + quiet, Y: p.border + quiet,
		LogoModules: [2]int{l.clearWidth, l.clearTall},
	}
	if p.beside {
		f.measure.Y += dots((p.height-p.side)/2, l.DPI, math.Floor)
	}
	if l.DPI != 0 {
		f.measure.Dots = int(math.Round(p.module * float64(l.DPI) / inch))
	}
	area := func(s path, fill qrcode.Color) {
		f.shapes = append(f.shapes, shape{path: s, at: move(0, 0), fill: fill})
	}
	inner := p.side
	if !p.beside && l.Caption != "" {
		inner += p.caption.height() + captionGap*p.caption.size
	}
	paper := l.background
	if paper == qrcode.Transparent() {
		paper = white
	}
	if l.Frame != "" {
		var frame path
		radius := p.side * frameRadius
		frame.round(0, 0, codeWidth, p.height, radius, false)
		frame.round(p.border, p.border, p.side, inner, max(radius-p.border, 0), true)
		area(frame, l.foreground)
		bandTop := p.border + inner
		bandHeight := p.height - bandTop
		f.shapes = append(f.shapes, p.band.shapes(p.border, bandTop+(bandHeight-p.band.height())/2, p.side, paper)...)
	}
	f.shapes = append(f.shapes, shape{
		path: modules(l.symbol, l.covered),
		at:   scale(p.module, f.measure.X, f.measure.Y),
		fill: l.foreground,
		text: l.Text,
	})
	if l.Logo != nil {
		side := float64(l.symbol.Modules())
		width, height := float64(l.clearWidth)-2*logoMargin, float64(l.clearTall)-2*logoMargin
		at := transform{p.module, p.module, f.measure.X, f.measure.Y}
		f.shapes = append(f.shapes, l.Logo.shapes(box{(side - width) / 2, (side - height) / 2, width, height}, at, l.foreground)...)
	}
	if p.beside {
		left := codeWidth
		f.shapes = append(f.shapes, p.caption.shapes(left, (p.height-p.caption.height())/2, p.width-left, l.foreground)...)
	} else {
		f.shapes = append(f.shapes, p.caption.shapes(p.border, p.border+p.side, p.side, l.foreground)...)
	}
	if isAddress(l.Text) {
		f.links = append(f.links, link{f.measure.X, f.measure.Y, f.measure.Size(), f.measure.Size(), l.Text})
	}
	return f
}

// covered reports whether the logo covers a module.
func (l *layout) covered(x, y int) bool {
	return covers(l.symbol.Modules(), l.clearWidth, l.clearTall, x, y)
}

// isAddress reports whether a viewer can open the text as a link.
func isAddress(text string) bool {
	if !strings.HasPrefix(text, "https://") && !strings.HasPrefix(text, "http://") {
		return false
	}
	return strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}
