package print_test

import (
	"bytes"
	"fmt"

	"github.com/hailmark/hailmark/qrcode/print"
)

func Example() {
	page, err := print.Code{Text: "https://wa.me/jane.doe", Size: 25, DPI: 300, Caption: "@jane.doe"}.Page()
	if err != nil {
		fmt.Println(err)
		return
	}
	pdf, err := page.Append(nil, print.PDF)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.8s\n", pdf)
	code := page.Codes()[0]
	fmt.Printf("%.1f mm wide, %d dots a module\n", code.Size(), code.Dots)
	// Output:
	// %PDF-1.6
	// 23.3 mm wide, 11 dots a module
}

func ExampleCode_Page() {
	_, err := print.Code{Text: "https://wa.me/jane.doe", Size: 5}.Page()
	fmt.Println(err)
	page, _ := print.Code{Text: "https://wa.me/jane.doe", Size: 8}.Page()
	fmt.Println(page.Warnings())
	// Output:
	// modules must be at least 0.25 mm wide to be read; this code has 25 modules of 0.200 mm: make it at least 6.3 mm wide, or shorten the text
	// modules of 0.32 mm are not read by all scanners: from 0.40 mm they are, which is a code of 10.0 mm
}

func ExampleSheetWriter() {
	labels, err := print.ParseLabels("avery-l7160")
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	pdf := print.NewPDFWriter(&file, "Labels")
	sheet, err := print.NewSheetWriter(print.Sheet{Labels: labels, Start: 5}, pdf.WritePage)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"jane.doe", "john.smith", "日本"} {
		warnings, err := sheet.Add(print.Code{Text: "https://wa.me/" + name, Caption: "@" + name, DPI: 300})
		fmt.Println(warnings.Codes(), err)
	}
	fmt.Println(sheet.Close(), pdf.Close())
	// Output:
	// [] <nil>
	// [] <nil>
	// [] caption must be in Latin, Greek or Cyrillic letters, digits and common signs; '日' (U+65E5) is not in the font: leave it out, or add it with a design program
	// <nil> <nil>
}
