package qrprint

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// Millimeters is a length on paper.
type Millimeters float64

// Limits and default, in millimeters or dots per inch.
const (
	minWidth     = 4
	maxWidth     = 1000
	defaultWidth = 25
	maxModule    = 50
	maxBleed     = 20
	minDPI       = 72
	maxDPI       = 4800
)

// A Code describes a QR code for paper with its caption, frame and logo.
type Code struct {
	// Text is the code's content.
	Text string

	// Width is the symbol's width without its quiet zone, from 4 to 1000 mm. Set one of
	// Width, ModuleWidth and OuterWidth. By default, the symbol is 25 mm wide, or as large as possible on
	// a label or poster.
	Width Millimeters

	// ModuleWidth is a module's width, from 0.25 to 50 mm.
	ModuleWidth Millimeters

	// OuterWidth is the width of the symbol with its quiet zone and Frame, from 4 to 1000 mm.
	// [Code.Page] returns a trimmed page of exactly this width.
	OuterWidth Millimeters

	// DPI is the printer's resolution in dots per inch, from 72 to 4800. If set, all modules
	// have the same whole number of dots, so the width may change; a warning then specifies it.
	// For print shops, leave it unset.
	DPI int

	// Style contains the error correction level, the quiet zone and the colors. A Frame requires
	// a quiet zone. By default, black is printed with black ink alone. The background is that of
	// the whole page, or of a label without its padding.
	qrcode.Style

	// Title is the title of the file. The default is Text.
	Title string

	// ForegroundCMYK and BackgroundCMYK replace Foreground and Background, unless they're zero.
	// A logo keeps its own colors.
	ForegroundCMYK, BackgroundCMYK CMYK

	// Bleed is the background's width beyond the trimmed page, from 0 to 20 mm. With a bleed,
	// code and texts keep a distance of 3 mm from the edges. Labels have no bleed.
	Bleed Millimeters

	// CropMarks draws lines around the page that show where to trim it, in all four inks. They're
	// 5 mm long and begin at the bleed, but at least 3 mm from the trimmed page, so the file is
	// larger than the page. Code and texts keep a distance of 3 mm from the edges. Labels have no
	// crop marks.
	CropMarks bool

	// Caption is printed below the code, or next to it on a wide label. It may contain up to
	// six lines and 300 characters.
	Caption string

	// Frame is a call to action, such as "Chat with us", of up to two lines and 300 characters.
	// It's printed light on dark below the code, and a frame surrounds code and caption.
	Frame string

	// Logo is printed in the middle; nil means none. The error correction level is then Q or H,
	// and the version is the smallest that leaves half of the error correction unused under the
	// logo.
	Logo *Logo

	// LogoShare is the maximum share of the symbol's width for the logo and the light modules
	// around it, from 0.05 to 0.5. The default is 0.25.
	LogoShare float64
}

// safeDistance is the distance in millimeters that content keeps from the edge of trimmed
// paper.
const safeDistance = 3

// Page returns a page as large as the code, its quiet zone and its texts. Its error is a
// [problem.List] of all problems.
func (c Code) Page() (*Page, error) {
	l, err := newLayout(c)
	if err != nil {
		return nil, err
	}
	inset := 0.0
	if c.Bleed > 0 || c.CropMarks {
		inset = dots(safeDistance, c.DPI, math.Ceil)
	}
	outer := float64(c.OuterWidth)
	if outer > 0 {
		l.OuterWidth -= Millimeters(2 * inset)
	}
	f, err := l.figure(nil, false)
	if err != nil {
		return nil, err
	}
	width, height := dots(max(outer, f.width+2*inset), c.DPI, math.Ceil), dots(f.height+2*inset, c.DPI, math.Ceil)
	p := l.newPage(width, height)
	p.place(f, p.area(), p.area(), false)
	return p, nil
}

// joined returns the problems of both. Other errors don't occur.
func joined(list problem.List, err error) error {
	return append(list, problem.All(err)...).Err()
}

// A layout is a valid code with its symbol.
type layout struct {
	Code
	symbol     qrcode.Symbol
	clearWidth int // modules that the logo covers
	clearTall  int
	margin     int // modules
	foreground ink
	background ink
	frame      breaks
	caption    breaks
	warnings   problem.List
}

var (
	black = qrcode.RGB(0, 0, 0)
	white = qrcode.RGB(255, 255, 255)
)

func (c *Code) colors() (foreground, background ink) {
	return newInk(c.ForegroundCMYK, c.Foreground, black), newInk(c.BackgroundCMYK, c.Background, white)
}

// checkStyle returns the warnings and the error for the style with the colors of the inks.
func (c *Code) checkStyle() (problem.List, error) {
	s := c.Style
	foreground, background := c.colors()
	s.Foreground, s.Background = foreground.screen, background.screen
	return s.Check()
}

func newLayout(c Code) (*layout, error) {
	c.Caption, c.Frame = compose(c.Caption), compose(c.Frame)
	l := &layout{Code: c, margin: c.Margin}
	l.foreground, l.background = c.colors()
	switch c.Margin {
	case 0:
		l.margin = quietZone
	case qrcode.NoMargin:
		l.margin = 0
	}
	list := c.problems()
	if c.Text == "" {
		list = append(list, problem.New("text", qrcode.CodeMissingText, "text is empty; a QR code without text can't be scanned"))
	}
	if list != nil {
		return nil, list.Err()
	}
	l.frame, l.caption = breakAll(c.Frame, frameLines), breakAll(c.Caption, 2*maxLines)
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

// problems returns all problems except those with Text.
func (c *Code) problems() problem.List {
	var list problem.List
	between := func(field, name string, v, least, most Millimeters) {
		if v != 0 && !(least <= v && v <= most) {
			list = append(list, problem.New(field, CodeInvalidLength, "%s is %g mm; %g to %g mm are allowed", name, v, least, most))
		}
	}
	between("width", "width of the code", c.Width, minWidth, maxWidth)
	between("moduleWidth", "width of a module", c.ModuleWidth, minModule, maxModule)
	between("outerWidth", "outer width", c.OuterWidth, minWidth, maxWidth)
	set := 0
	for _, v := range []Millimeters{c.Width, c.ModuleWidth, c.OuterWidth} {
		if v != 0 {
			set++
		}
	}
	if set > 1 {
		list = append(list, problem.New("width", CodeInvalidLength, "more than one of the width of the code, the width of a module and the outer width is set; set only one, because each determines the others"))
	}
	inks := func(field string, code problem.Code, press CMYK, screen qrcode.Color) {
		if !press.valid() {
			list = append(list, problem.New(field, code, "inks are %d, %d, %d and %d percent; 0 to %d are allowed", press.C, press.M, press.Y, press.K, maxInk))
		}
		if press != (CMYK{}) && screen != (qrcode.Color{}) {
			list = append(list, problem.New(field, code, "a color is set both as CMYK and as %s; set only one", screen))
		}
	}
	inks("color", qrcode.CodeInvalidColor, c.ForegroundCMYK, c.Foreground)
	inks("bg", qrcode.CodeInvalidBackground, c.BackgroundCMYK, c.Background)
	if c.DPI != 0 && (c.DPI < minDPI || c.DPI > maxDPI) {
		list = append(list, problem.New("dpi", CodeInvalidDPI, "resolution is %d dpi; %d to %d dpi are allowed", c.DPI, minDPI, maxDPI))
	}
	if !(0 <= c.Bleed && c.Bleed <= maxBleed) {
		list = append(list, problem.New("bleed", CodeInvalidLength, "bleed is %g mm; 0 to %d mm are allowed", c.Bleed, maxBleed))
	}
	_, err := c.checkStyle()
	list = append(list, problem.All(err)...)
	if c.Margin == qrcode.NoMargin && c.Frame != "" {
		list = append(list, problem.New("margin", qrcode.CodeInvalidMargin, "margin is omitted within a frame, which is dark; omit the frame or NoMargin"))
	}
	list = append(list, checkText("caption", c.Caption, 2*maxLines)...)
	list = append(list, checkText("frame", c.Frame, frameLines)...)
	if c.Logo != nil && c.Logo.bitmap == nil {
		list = append(list, problem.New("logo", CodeInvalidLogo, "logo is the zero Logo; use ParseLogo"))
	}
	if c.LogoShare != 0 && !(minLogoShare <= c.LogoShare && c.LogoShare <= maxLogoShare) {
		list = append(list, problem.New("logoShare", CodeLogoTooLarge, "logo takes %g of the width of the code; %g to %g are allowed", c.LogoShare, minLogoShare, maxLogoShare))
	}
	return list
}

// ISO/IEC 18004, 6.3.8, requires this quiet zone.
const quietZone = 4

// warnings returns warnings that don't depend on the size.
func (c *Code) warnings() problem.List {
	list, _ := c.checkStyle() // it was checked before
	foreground, background := c.colors()
	if background.screen == qrcode.Transparent() {
		background.screen = white
	}
	contrast := math.Abs(reflectance(foreground.screen) - reflectance(background.screen))
	if contrast < minSymbolContrast && !slices.Contains(list.Codes(), qrcode.CodeWeakContrast) {
		list = append(list, problem.New("color", qrcode.CodeWeakContrast,
			"the colors differ by %.0f %% in reflectance; printed codes need at least %.0f %%: choose a darker foreground or a lighter background",
			math.Floor(100*contrast), 100*minSymbolContrast)) // a contrast just below the minimum isn't rounded to it
	}
	return list
}

// Below the resolution of printers, an image is for screens. It needs modules of safePixels, as in
// package qrcode.
const (
	printerDPI = 150
	safePixels = 4
)

// reflectance returns a color's relative luminance in sRGB (IEC 61966-2-1).
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

func (l *layout) newPage(width, height float64) *Page {
	bleed := dots(float64(l.Bleed), l.DPI, math.Ceil)
	p := &Page{width: width, height: height, bleed: bleed, margin: bleed, dpi: l.DPI, title: cmp.Or(l.Title, l.Text)}
	if l.CropMarks {
		p.addCropMarks()
	}
	return p
}

// An area limits the size of a figure.
type area struct{ width, height float64 }

// holds reports whether a plan fits. A nil area is unlimited.
func (a *area) holds(p plan) bool {
	return a == nil || p.width <= a.width+1e-6 && p.height <= a.height+1e-6
}

// A figure is a code with its texts, relative to its upper left corner.
type figure struct {
	width, height float64
	shapes        []shape
	links         []link
	measure       Measure
	dpi           int
	background    ink
	warnings      problem.List
}

// A plan arranges a figure for one module width.
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

// Font sizes and other lengths, relative to the width including the quiet zone.
const (
	captionSize = 0.11
	bandSize    = 0.13
	frameWidth  = 0.03
	frameRadius = 0.07
)

// The maximum numbers of lines in a caption and a call to action.
const (
	maxLines   = 3
	frameLines = 2
)

// outerWidth returns the width with quiet zone and frame, but without a caption next to the code.
func (p *plan) outerWidth() float64 { return p.side + 2*p.border }

func (l *layout) plan(module float64, room *area, beside bool) plan {
	p := plan{module: module, beside: beside, fits: true}
	p.side = module * float64(l.symbol.Size()+2*l.margin)
	if l.Frame != "" {
		p.border = dots(max(p.side*frameWidth, 0.5), l.DPI, math.Ceil)
		var fits bool
		p.band, fits = l.frame.fit(p.side*0.92, fontSize(p.side*bandSize), frameLines)
		p.fits = p.fits && fits
		p.bandHeight = p.band.height() + 0.4*p.band.size - p.border
	}
	p.width = p.outerWidth()
	p.height = p.side + 2*p.border + p.bandHeight
	if l.Caption == "" {
		return p
	}
	var fits bool
	if beside {
		width := room.width - p.width - captionMargin*module
		p.caption, fits = l.caption.fit(width, fontSize(p.side*captionSize*1.2), 2*maxLines)
		p.width = room.width
		fits = fits && p.caption.height() <= room.height
	} else {
		p.caption, fits = l.caption.fit(p.side-2*module, fontSize(p.side*captionSize), maxLines)
		p.height += p.captionHeight()
	}
	p.fits = p.fits && fits
	return p
}

// captionHeight returns the height of a caption below the code with the space below it, which is at
// least a module.
func (p *plan) captionHeight() float64 {
	return p.caption.height() + max(captionGap*p.caption.size, p.module)
}

// captionGap is the space below a caption in font sizes, and captionMargin the space to the right
// of a caption next to a code in modules.
const (
	captionGap    = 0.3
	captionMargin = 2
)

// wideLabel is the minimum ratio of width to height for a caption next to the code.
const wideLabel = 1.5

func (l *layout) figure(room *area, beside bool) (*figure, error) {
	n := float64(l.symbol.Size())
	wanted := float64(l.ModuleWidth)
	switch {
	case l.Width != 0:
		wanted = float64(l.Width) / n
	case wanted == 0 && l.OuterWidth == 0 && room == nil:
		wanted = defaultWidth / n
	}
	var p plan
	switch {
	case l.OuterWidth != 0:
		p = l.withOuterWidth(room, beside)
	case wanted == 0:
		p = l.largest(room, beside)
	default:
		p = l.nearest(wanted, room, beside)
	}
	if err := l.check(p, room); err != nil {
		return nil, err
	}
	f := l.draw(p)
	switch {
	case l.OuterWidth != 0:
		f.warnings = append(f.warnings, l.rounding("code with its quiet zone", float64(l.OuterWidth), p.outerWidth(), p.module)...)
	case l.Width != 0 || l.ModuleWidth != 0:
		f.warnings = append(f.warnings, l.rounding("code", wanted*n, p.module*n, p.module)...)
	}
	return f, nil
}

// withOuterWidth returns the largest plan that isn't wider than OuterWidth.
func (l *layout) withOuterWidth(room *area, beside bool) plan {
	if l.Frame != "" {
		return l.largest(&area{float64(l.OuterWidth), math.Inf(1)}, false)
	}
	module := float64(l.OuterWidth) / float64(l.symbol.Size()+2*l.margin)
	return l.plan(l.dotModule(module, math.Floor), room, beside)
}

// nearest returns the plan whose whole dots are closest to a width. It rounds down if the
// closest plan doesn't fit and up if modules would be too small.
func (l *layout) nearest(wanted float64, room *area, beside bool) plan {
	p := l.plan(l.dotModule(wanted, math.Round), room, beside)
	if isTooSmall(p.module) && !isTooSmall(wanted) {
		return l.plan(l.dotModule(wanted, math.Ceil), room, beside)
	}
	if !room.holds(p) {
		return l.plan(l.dotModule(wanted, math.Floor), room, beside)
	}
	return p
}

func isTooSmall(module float64) bool { return module < minModule-1e-9 }

// rounding returns a warning if whole dots visibly change a width.
func (l *layout) rounding(what string, wanted, got, module float64) problem.List {
	const visible = 0.05 // millimeters
	if math.Abs(got-wanted) < visible {
		return nil
	}
	return problem.List{problem.New("width", CodeWidthRounded,
		"the %s is %.1f mm wide instead of %.1f mm, because each module has %.0f whole dots at %d dpi",
		what, got, wanted, module*float64(l.DPI)/inch, l.DPI)}
}

// largest returns the plan with the largest modules.
func (l *layout) largest(room *area, beside bool) plan {
	within := func(module float64) bool {
		p := l.plan(module, room, beside)
		return p.width <= room.width+1e-9 && p.height <= room.height+1e-9
	}
	low, high := 0.0, max(0, min(room.width, room.height))/float64(l.symbol.Size()+2*l.margin)
	if beside { // leave room for the caption
		const codeShare = 0.62
		high = min(high, codeShare*room.width/float64(l.symbol.Size()+2*l.margin))
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

// dotModule returns a module's width in whole dots, at least one.
func (l *layout) dotModule(module float64, round func(float64) float64) float64 {
	if l.DPI == 0 {
		return module
	}
	return max(dots(module, l.DPI, round), inch/float64(l.DPI))
}

// check returns an error if the plan can't be printed.
func (l *layout) check(p plan, room *area) error {
	var list problem.List
	n := float64(l.symbol.Size())
	if isTooSmall(p.module) {
		least := l.dotModule(minModule, math.Ceil)
		list = append(list, problem.New("width", CodeModuleTooSmall,
			"modules are %.3f mm wide; scanners need at least %g mm: make the code, which has %.0f modules, at least %.1f mm wide%s, or shorten the text",
			p.module, float64(minModule), n, math.Ceil(least*n*10)/10, l.withRoom(room)))
	}
	if !room.holds(p) {
		list = append(list, problem.New("width", CodeDoesNotFit,
			"code with its quiet zone and texts takes %.1f x %.1f mm; there's room for %.1f x %.1f mm: make it smaller, or omit its size",
			p.width, p.height, room.width, room.height))
	}
	if !p.fits && list == nil {
		list = append(list, problem.New("caption", CodeTextDoesNotFit,
			"caption and frame don't fit next to a code of %.1f mm in letters of at least 5 points: shorten them, or make the code larger",
			p.module*n))
	}
	return list.Err()
}

func (l *layout) withRoom(room *area) string {
	if room == nil {
		return ""
	}
	return " on a larger label or paper"
}

func (l *layout) draw(p plan) *figure {
	f := &figure{width: p.width, height: p.height, dpi: l.DPI, background: l.background, warnings: append(problem.List(nil), l.warnings...)}
	switch pixels := int(math.Round(p.module * float64(l.DPI) / inch)); {
	case l.DPI != 0 && l.DPI < printerDPI && pixels < safePixels:
		n := float64(l.symbol.Size() + 2*l.margin)
		f.warnings = append(f.warnings, problem.New("width", qrcode.CodeSmallModule,
			"modules are %d pixels wide; some scanners need %d: make the image at least %.0f pixels wide, or shorten the text", pixels, safePixels, safePixels*n))
	case p.module < safeModule-1e-9:
		f.warnings = append(f.warnings, problem.New("width", qrcode.CodeSmallModule,
			"modules are %.2f mm wide; some scanners need %.2f mm, which is a code of %.1f mm",
			p.module, float64(safeModule), math.Ceil(10*l.dotModule(safeModule, math.Ceil)*float64(l.symbol.Size()))/10))
	}
	quiet := p.module * float64(l.margin)
	codeWidth := p.outerWidth()
	f.measure = Measure{
		Symbol: l.symbol, ModuleWidth: Millimeters(p.module),
		X: Millimeters(p.border + quiet), Y: Millimeters(p.border + quiet),
		LogoModules: [2]int{l.clearWidth, l.clearTall},
	}
	if p.beside {
		f.measure.Y += Millimeters((p.height - p.side) / 2)
	}
	if l.DPI != 0 {
		f.measure.Dots = int(math.Round(p.module * float64(l.DPI) / inch))
	}
	left, top := float64(f.measure.X), float64(f.measure.Y)
	area := func(s path, fill ink) {
		f.shapes = append(f.shapes, shape{path: s, at: move(0, 0), fill: fill})
	}
	inner := p.side
	if !p.beside && l.Caption != "" {
		inner += p.captionHeight()
	}
	paper := l.background
	if paper.screen == qrcode.Transparent() {
		paper.screen = white
	}
	if l.Frame != "" {
		var frame path
		radius := p.side * frameRadius
		frame.round(0, 0, codeWidth, p.height, radius, false)
		frame.round(p.border, p.border, p.side, inner, max(radius-p.border, 0), true)
		area(frame, l.foreground)
		bandTop := p.border + inner
		bandHeight := p.height - bandTop
		f.shapes = append(f.shapes, p.band.shapes(p.border, bandTop+(bandHeight-p.band.height())/2+p.band.drop(), p.side, paper)...)
	}
	f.shapes = append(f.shapes, shape{
		path: modules(l.symbol, l.covered),
		at:   scale(p.module, left, top),
		fill: l.foreground,
		text: l.Text,
	})
	if l.Logo != nil {
		side := float64(l.symbol.Size())
		width, height := float64(l.clearWidth)-2*logoMargin, float64(l.clearTall)-2*logoMargin
		at := scale(p.module, left, top)
		f.shapes = append(f.shapes, l.Logo.shape(box{(side - width) / 2, (side - height) / 2, width, height}, at, paper))
	}
	if p.beside {
		f.shapes = append(f.shapes, p.caption.shapes(codeWidth, (p.height-p.caption.height())/2, p.width-codeWidth-captionMargin*p.module, l.foreground)...)
	} else {
		f.shapes = append(f.shapes, p.caption.shapes(p.border, p.border+p.side, p.side, l.foreground)...)
	}
	if isAddress(l.Text) {
		width := p.module * float64(l.symbol.Size())
		f.links = append(f.links, link{box{left, top, width, width}, l.Text})
	}
	return f
}

func (l *layout) covered(x, y int) bool {
	return covers(l.symbol.Size(), l.clearWidth, l.clearTall, x, y)
}

// isAddress reports whether viewers can open the text as a link.
func isAddress(text string) bool {
	if !strings.HasPrefix(text, "https://") && !strings.HasPrefix(text, "http://") {
		return false
	}
	return strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}
