package qrprint_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"

	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

func Example() {
	page, err := qrprint.Code{Text: "https://wa.me/jane.doe", Width: 25, DPI: 300, Caption: "@jane.doe"}.Page()
	if err != nil {
		fmt.Println(err)
		return
	}
	pdf, err := page.Append(nil, qrprint.PDF)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.8s\n", pdf)
	code := page.Codes()[0]
	fmt.Printf("%d modules of %.3f mm, %d dots each\n", code.Symbol.Size(), code.ModuleWidth, code.Dots)
	// Output:
	// %PDF-1.6
	// 25 modules of 1.016 mm, 12 dots each
}

func ExampleCode_Page() {
	_, err := qrprint.Code{Text: "https://wa.me/jane.doe", Width: 5}.Page()
	fmt.Println(err)
	page, _ := qrprint.Code{Text: "https://wa.me/jane.doe", Width: 8}.Page()
	fmt.Println(page.Warnings())
	// Output:
	// modules are 0.200 mm wide; scanners need at least 0.25 mm: make the code, which has 25 modules, at least 6.3 mm wide, or shorten the text
	// modules are 0.32 mm wide; some scanners need 0.40 mm, which is a code of 10.0 mm
}

func ExampleSheetWriter() {
	labels, err := qrprint.ParseLabels("avery-l7160")
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	labels.Start = 5 // the sheet is already partly used
	sheets, err := qrprint.NewSheetWriter(&file, labels)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"jane.doe", "john.smith", "日本"} {
		warnings, err := sheets.Add(qrprint.Code{Text: "https://wa.me/" + name, Caption: "@" + name, DPI: 300})
		fmt.Println(warnings.Codes(), err)
	}
	fmt.Println(sheets.Close())
	// Output:
	// [] <nil>
	// [] <nil>
	// [] caption contains '日' (U+65E5), which is not in the font; it has the letters of languages in Latin, Greek and Cyrillic script, digits and common signs: leave it out, or add it with a design program
	// <nil>
}

func ExamplePoster_Page() {
	poster := qrprint.Poster{
		Paper:   qrprint.A5,
		Heading: "Questions?",
		Text:    "We answer from Monday to Friday.",
		Code:    qrprint.Code{Text: "https://wa.me/jane.doe", Caption: "@jane.doe", DPI: 300},
	}
	page, err := poster.Page()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(page.Size())
	fmt.Println(page.Warnings())
	// Output:
	// 148 210
	// no problems
}

func ExamplePoster_Tent() {
	page, err := qrprint.Poster{Code: qrprint.Code{Text: "https://wa.me/jane.doe"}}.Tent()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, code := range page.Codes() {
		fmt.Printf("%.0f mm from the top\n", code.Y)
	}
	// Output:
	// 27 mm from the top
	// 176 mm from the top
}

func ExampleParseLogo() {
	_, err := qrprint.ParseLogo([]byte(`<svg viewBox="0 0 24 24"><circle r="9"/></svg>`))
	fmt.Println(err)
	var file bytes.Buffer // os.ReadFile reads one
	if err := png.Encode(&file, image.NewGray(image.Rect(0, 0, 20, 20))); err != nil {
		fmt.Println(err)
		return
	}
	logo, err := qrprint.ParseLogo(file.Bytes())
	if err != nil {
		fmt.Println(err)
		return
	}
	page, err := qrprint.Code{Text: "https://wa.me/jane.doe", Logo: logo}.Page()
	if err != nil {
		fmt.Println(err)
		return
	}
	code := page.Codes()[0]
	fmt.Println(code.Symbol.Version(), code.Symbol.Level(), code.LogoModules)
	// Output:
	// logo isn't a PNG; save it as one, for example with 1,000 pixels on a side
	// 5 H [9 9]
}

func ExampleLabels_Page() {
	// Measured on a sheet: 4 x 5 labels of 45 x 45 mm with 5 mm between them.
	labels := qrprint.Labels{Paper: qrprint.A4, Columns: 4, Rows: 5, Width: 45, Height: 45, Left: 7.5, Top: 26, PitchX: 50, PitchY: 50, Padding: 1.5}
	code := qrprint.Code{Text: "https://wa.me/jane.doe"}
	page, err := labels.Page(code, code, code)
	if err != nil {
		fmt.Println(err)
		return
	}
	svg, err := page.Append(nil, qrcode.SVG)
	fmt.Println(len(page.Codes()), len(svg) > 0, err)
	// Output: 3 true <nil>
}

func ExampleLabelNames() {
	fmt.Println(qrprint.LabelNames()[0])
	// Output: avery-5160
}
