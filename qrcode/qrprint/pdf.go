package qrprint

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strings"
	"unicode/utf16"
)

const pointsPerMM = 72 / inch

// A pdfWriter writes pages to a PDF file. It doesn't keep pages in memory. Equal pages
// produce equal bytes, because the file doesn't contain a date and its ID is a hash.
type pdfWriter struct {
	w        io.Writer
	hash     hash.Hash
	offset   int64
	offsets  []int64 // object n begins at offsets[n-1]
	pages    []int   // the objects of the pages
	pictures map[*bitmap]int
	title    string
	closed   bool
	err      error
	compressor
}

// The first objects of a file.
const (
	catalogObject = 1 + iota
	pagesObject
	infoObject
	reservedObjects = iota
)

// newPDFWriter returns a pdfWriter that writes to w. The default title is the first page's.
func newPDFWriter(w io.Writer, title string) *pdfWriter {
	return &pdfWriter{w: w, hash: sha256.New(), title: title, offsets: make([]int64, reservedObjects), pictures: map[*bitmap]int{}}
}

// writePage returns the underlying writer's error, or an error after close.
func (w *pdfWriter) writePage(p *Page) error {
	if w.closed {
		return errClosed
	}
	if len(w.pages) == 0 {
		if w.title == "" {
			w.title = p.title
		}
		// Bytes above 127 in a comment show programs that the file is not text.
		w.write([]byte("%PDF-1.6\n%\xE2\xE3\xCF\xD3\n"))
	}
	content := pdfContent{resources: map[*bitmap]int{}, bitmap: w.writePicture}
	content.append(p)
	compressed := w.deflate(content.out)
	contents := w.begin()
	w.write(fmt.Appendf(nil, "<</Length %d/Filter/FlateDecode>>\nstream\n", len(compressed)))
	w.write(compressed)
	w.write([]byte("\nendstream\n"))
	w.end()

	var annotations []int
	for _, l := range p.links {
		annotations = append(annotations, w.writeLink(l, p))
	}

	page := w.begin()
	w.pages = append(w.pages, page)
	box := func(margin float64) string {
		return string(bytes.TrimSpace(appendNumbers(nil, lengthDecimals,
			(p.margin-margin)*pointsPerMM, (p.margin-margin)*pointsPerMM,
			(p.margin+p.width+margin)*pointsPerMM, (p.margin+p.height+margin)*pointsPerMM)))
	}
	out := fmt.Appendf(nil, "<</Type/Page/Parent %d 0 R/MediaBox[%s]/BleedBox[%s]/TrimBox[%s]/Contents %d 0 R/Resources<<",
		pagesObject, box(p.margin), box(p.bleed), box(0), contents)
	if len(content.order) > 0 {
		out = append(out, "/XObject<<"...)
		for i, object := range content.order {
			out = fmt.Appendf(out, "/P%d %d 0 R", i, object)
		}
		out = append(out, ">>"...)
	}
	for i, text := range content.texts {
		if i == 0 {
			out = append(out, "/Properties<<"...)
		}
		out = fmt.Appendf(out, "/T%d<</ActualText%s>>", i, pdfText(text))
	}
	if len(content.texts) > 0 {
		out = append(out, ">>"...)
	}
	out = append(out, ">>"...)
	if len(annotations) > 0 {
		out = append(out, "/Annots["...)
		out = appendReferences(out, annotations)
		out = append(out, ']')
	}
	w.write(append(out, ">>\n"...))
	w.end()
	return w.err
}

// writeLink writes a link and returns its object.
func (w *pdfWriter) writeLink(l link, p *Page) int {
	bottom := p.margin + p.height - l.y - l.height
	rect := bytes.TrimSpace(appendNumbers(nil, lengthDecimals, (p.margin+l.x)*pointsPerMM, bottom*pointsPerMM,
		(p.margin+l.x+l.width)*pointsPerMM, (bottom+l.height)*pointsPerMM))
	object := w.begin()
	w.write(fmt.Appendf(nil, "<</Type/Annot/Subtype/Link/Rect[%s]/Border[0 0 0]/F 4/Contents%s/A<</S/URI/URI%s>>>>\n",
		rect, pdfText(l.address), pdfText(l.address)))
	w.end()
	return object
}

func appendReferences(dst []byte, objects []int) []byte {
	for i, object := range objects {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = fmt.Appendf(dst, "%d 0 R", object)
	}
	return dst
}

// close completes the file but doesn't close the underlying writer. A file must contain
// pages.
func (w *pdfWriter) close() error {
	if w.closed {
		return errClosed
	}
	w.closed = true
	if w.err == nil && len(w.pages) == 0 {
		w.err = errNoPages
	}
	w.beginAt(catalogObject)
	w.write(fmt.Appendf(nil, "<</Type/Catalog/Pages %d 0 R/ViewerPreferences<</PrintScaling/None/DisplayDocTitle true>>>>\n", pagesObject))
	w.end()
	w.beginAt(pagesObject)
	out := fmt.Appendf(nil, "<</Type/Pages/Count %d/Kids[", len(w.pages))
	w.write(append(appendReferences(out, w.pages), "]>>\n"...))
	w.end()
	w.beginAt(infoObject)
	w.write([]byte("<</Title" + pdfText(w.title) + "/Producer(Hailmark)>>\n"))
	w.end()

	start := w.offset
	table := fmt.Appendf(nil, "xref\n0 %d\n0000000000 65535 f \n", len(w.offsets)+1)
	for _, offset := range w.offsets {
		table = fmt.Appendf(table, "%010d 00000 n \n", offset)
	}
	w.write(table)
	id := hex.EncodeToString(w.hash.Sum(nil)[:16])
	w.write(fmt.Appendf(nil, "trailer\n<</Size %d/Root %d 0 R/Info %d 0 R/ID[<%s><%s>]>>\nstartxref\n%d\n%%%%EOF\n",
		len(w.offsets)+1, catalogObject, infoObject, id, id, start))
	return w.err
}

func (w *pdfWriter) write(data []byte) {
	if w.err != nil {
		return
	}
	w.hash.Write(data)
	w.offset += int64(len(data))
	_, w.err = w.w.Write(data)
}

// begin begins an object and returns its number.
func (w *pdfWriter) begin() int {
	w.offsets = append(w.offsets, 0)
	w.beginAt(len(w.offsets))
	return len(w.offsets)
}

func (w *pdfWriter) beginAt(object int) {
	w.offsets[object-1] = w.offset
	w.write(fmt.Appendf(nil, "%d 0 obj\n", object))
}

func (w *pdfWriter) end() { w.write([]byte("endobj\n")) }

// writePicture writes an image once per file and returns its object.
func (w *pdfWriter) writePicture(p *bitmap) int {
	if object, ok := w.pictures[p]; ok {
		return object
	}
	mask := 0
	image := func(space string, data []byte) int {
		data = w.deflate(data)
		object := w.begin()
		out := fmt.Appendf(nil, "<</Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/%s/BitsPerComponent 8/Filter/FlateDecode/Length %d",
			p.width, p.height, space, len(data))
		if mask > 0 {
			out = fmt.Appendf(out, "/SMask %d 0 R", mask)
		}
		w.write(append(out, ">>\nstream\n"...))
		w.write(data)
		w.write([]byte("\nendstream\n"))
		w.end()
		return object
	}
	if alpha := p.alpha(); alpha != nil {
		mask = image("DeviceGray", alpha)
	}
	object := 0
	if gray := p.gray(); gray != nil {
		object = image("DeviceGray", gray)
	} else {
		object = image("DeviceRGB", p.rgb())
	}
	w.pictures[p] = object
	return object
}

func (p *Page) appendPDF(dst []byte) []byte {
	out := bytes.NewBuffer(dst)
	w := newPDFWriter(out, "")
	_ = w.writePage(p) // a Buffer returns no error
	_ = w.close()
	return out.Bytes()
}

// A pdfContent is a page's content.
type pdfContent struct {
	out       []byte
	bitmap    func(*bitmap) int
	resources map[*bitmap]int
	order     []int    // the objects of the images in use
	texts     []string // texts of the shapes, for the resources of the page
}

// append draws p in millimeters from the trimmed page's upper left corner.
func (c *pdfContent) append(p *Page) {
	c.out = appendNumbers(c.out, scaleDecimals, pointsPerMM, 0, 0, -pointsPerMM)
	c.out = appendNumbers(c.out, lengthDecimals, p.margin*pointsPerMM, (p.margin+p.height)*pointsPerMM)
	c.out = append(c.out, "cm\n"...)
	for _, s := range p.shapes {
		c.appendShape(s)
	}
}

func (c *pdfContent) appendShape(s shape) {
	if s.text != "" {
		c.out = fmt.Appendf(c.out, "/Span/T%d BDC\n", len(c.texts))
		c.texts = append(c.texts, s.text)
	}
	c.out = append(c.out, "q "...)
	at := s.at
	if s.bitmap != nil { // its rows begin at the bottom of the unit square
		at = transform{1, -1, 0, 1}.then(at)
	}
	c.out = appendNumbers(c.out, scaleDecimals, at.scaleX, 0, 0, at.scaleY)
	c.out = appendNumbers(c.out, lengthDecimals, at.x, at.y)
	c.out = append(c.out, "cm "...)
	if s.bitmap != nil {
		index, ok := c.resources[s.bitmap]
		if !ok {
			index = len(c.order)
			c.resources[s.bitmap] = index
			c.order = append(c.order, c.bitmap(s.bitmap))
		}
		c.out = fmt.Appendf(c.out, "/P%d Do", index)
	} else {
		c.out = s.fill.append(c.out, "k", "rg")
		s.path.each(func(cmd command, n []float64) {
			c.out = appendNumbers(c.out, pathDecimals, n...)
			c.out = append(append(c.out, pdfOperators[cmd]...), '\n')
		})
		c.out = append(c.out, 'f')
	}
	c.out = append(c.out, " Q\n"...)
	if s.text != "" {
		c.out = append(c.out, "EMC\n"...)
	}
}

var pdfOperators = [...]string{moveTo: "m", lineTo: "l", curveTo: "c", closePath: "h", rectangle: "re"}

// pdfLevel compresses pages in two thirds of the default level's time, to one percent more.
const pdfLevel = 5

// A compressor reuses its memory, which is more than a page needs.
type compressor struct {
	writer *zlib.Writer
	out    bytes.Buffer
}

// deflate returns compressed data that is valid until the next call.
func (c *compressor) deflate(data []byte) []byte {
	c.out.Reset()
	if c.writer == nil {
		c.writer, _ = zlib.NewWriterLevel(&c.out, pdfLevel)
	} else {
		c.writer.Reset(&c.out)
	}
	_, _ = c.writer.Write(data) // a Buffer returns no error
	_ = c.writer.Close()
	return c.out.Bytes()
}

// pdfText returns a PDF string, in parentheses for ASCII and otherwise as hexadecimal UTF-16.
func pdfText(s string) string {
	var out strings.Builder
	ascii := true
	for i := range len(s) {
		ascii = ascii && ' ' <= s[i] && s[i] < 0x7F
	}
	if !ascii {
		out.WriteString("<FEFF")
		for _, unit := range utf16.Encode([]rune(s)) {
			fmt.Fprintf(&out, "%04X", unit)
		}
		out.WriteByte('>')
		return out.String()
	}
	out.WriteByte('(')
	for i := range len(s) {
		if strings.IndexByte(`()\`, s[i]) >= 0 {
			out.WriteByte('\\')
		}
		out.WriteByte(s[i])
	}
	out.WriteByte(')')
	return out.String()
}
