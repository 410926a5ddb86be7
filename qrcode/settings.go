package qrcode

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hailmark/hailmark/problem"
)

// A Setting describes a member of [Options] that people or other programs set as text: in a flag, a
// query or JSON. [Options.Set] sets it.
type Setting struct {
	// Name is the setting's name in queries and code, such as "bg", and Word the name for people, such
	// as "background". They're usually the same.
	Name, Word string

	// Sentence says what the setting is. The word for its value is in backquotes.
	Sentence string

	// Default is the text of the default.
	Default string

	// Values lists all values, or is nil if there are others.
	Values []string

	// Least and Most are the limits of a number, or both 0. A margin may also be 0.
	Least, Most int

	set  func(o *Options, text string) error
	text func(o *Options) string // of resolved options
}

var settings = [...]Setting{
	{
		Name: "format", Word: "format", Sentence: "the image `format`", Default: string(PNG), Values: []string{string(PNG), string(SVG)},
		set:  func(o *Options, text string) error { return parseInto(&o.Format, text, ParseFormat) },
		text: func(o *Options) string { return string(o.Format) },
	},
	{
		Name: "size", Word: "size", Sentence: "the width and height in `pixels`", Default: strconv.Itoa(defaultSize), Least: MinSize, Most: MaxSize,
		set:  func(o *Options, text string) error { return parseInto(&o.Size, text, parseSize) },
		text: func(o *Options) string { return strconv.Itoa(o.Size) },
	},
	{
		Name: "level", Word: "level", Sentence: "the minimum error correction `level`", Default: LevelL.String(), Values: strings.Split(letters, ""),
		set:  func(o *Options, text string) error { return parseInto(&o.MinLevel, text, ParseLevel) },
		text: func(o *Options) string { return o.MinLevel.String() },
	},
	{
		Name: "margin", Word: "margin", Sentence: "the quiet zone in `modules`, or 0 for none", Default: strconv.Itoa(quietZone), Least: quietZone, Most: maxMargin,
		set:  func(o *Options, text string) error { return parseInto(&o.Margin, text, ParseMargin) },
		text: func(o *Options) string { return strconv.Itoa(o.Margin) },
	},
	{
		Name: "color", Word: "color", Sentence: "the `color` of the dark modules in hexadecimal, for example 075e54", Default: black.String(),
		set:  func(o *Options, text string) error { return parseInto(&o.Foreground, text, ParseColor) },
		text: func(o *Options) string { return o.Foreground.String() },
	},
	{
		Name: "bg", Word: "background", Sentence: "the background `color` in hexadecimal, or transparent", Default: white.String(),
		set:  func(o *Options, text string) error { return parseInto(&o.Background, text, ParseBackground) },
		text: func(o *Options) string { return o.Background.String() },
	},
	{
		Name: "title", Word: "title", Sentence: "the `title` of an SVG",
		set:  func(o *Options, text string) error { o.Title = text; return nil },
		text: func(o *Options) string { return o.Title },
	},
}

// Settings returns all settings.
func Settings() []Setting { return slices.Clone(settings[:]) }

// Set sets the member of o that a [Setting] names, such as "bg" to "25d366". The error is the
// [problem.Problem] of the value's parser, such as [ParseBackground], or says that no setting has the name.
// Then o is unchanged.
func (o *Options) Set(name, text string) error {
	i := slices.IndexFunc(settings[:], func(s Setting) bool { return s.Name == name })
	if i < 0 {
		return fmt.Errorf("qrcode: no setting is called %q; Settings lists them", name)
	}
	return settings[i].set(o, text)
}

// CacheKey returns a key for the image that [RenderQR] draws of content with valid options, for example
// for an HTTP ETag. It's another one for another content, for a value of an option that isn't the same
// by default, and for a version of this package that draws other bytes.
func (o Options) CacheKey(content string) string {
	o, _ = o.resolve()
	parts := []string{rendererVersion, strconv.Quote(content)}
	for i := range settings {
		parts = append(parts, settings[i].Name+"="+strconv.Quote(settings[i].text(&o)))
	}
	return strings.Join(parts, " ")
}

func parseSize(s string) (int, error) {
	size, err := strconv.ParseUint(s, 10, 31)
	if err != nil || size < MinSize || size > MaxSize {
		return 0, problem.New("size", CodeInvalidSize, "size isn't a whole number of pixels from %d to %d", MinSize, MaxSize)
	}
	return int(size), nil
}

// parseInto sets dst to a valid value.
func parseInto[T any](dst *T, text string, parse func(string) (T, error)) error {
	v, err := parse(text)
	if err == nil {
		*dst = v
	}
	return err
}
