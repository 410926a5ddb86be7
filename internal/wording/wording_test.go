// Package wording checks the spelling of comments, messages, pages and documents, and
// rejects words for which the field uses other ones. The rest of style is for readers.
package wording

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// exceptions lists lines that may contain a rejected word: the file or folder, then parts
// of the lines.
var exceptions = map[string][]string{
	".github/CONTRIBUTING.md": {"| refuse |", "| picture |", "| fault |", "| ending |", "| beside |", "| persons |", "| for ever, anew, meanwhile |"},
	"contact/identity":        {"Persons"},
	"webhooknorm/webhooktest": {"Faults", "faults"}, // what a test injects
}

// ignored lists files that this project didn't write, and the frozen specification.
var ignored = []string{
	"docs/interface-specification.md", "internal/wording", "node_modules", "testdata", ".git",
	"cmd/internal/page/built",
}

// standard matches phrases of the field that contain a rejected word.
var standard = regexp.MustCompile(`connections? refused|refus(?:es?|ed|ing) (?:to|connections?)\b|fault injection|fault tolera\w+`)

// data lists the extensions of files without prose.
var data = []string{".bin", ".eps", ".json", ".pdf", ".png", ".sum", ".svg", ".wasm"}

// terms lists rejected words as regular expressions, and the words to use instead.
var terms = map[string]string{
	`refus(?:e[sd]?|ing|als?)`: "reject, return an error",
	`pictures?`:                "image",
	`faults?`:                  "error, failure",
	`(?:file|its|same|known|unknown|another) endings?`: "extension",
	`beside`:           "next to, along with",
	`persons`:          "people, contacts, users",
	`for ever`:         "forever",
	`anew`:             "again",
	`meanwhile`:        "concurrently, in the meantime",
	`also (?:if|not)`:  "even if, not even",
	`stands? for`:      "means",
	`belongs? into`:    "belongs in",
	`half a surrogate`: "unpaired surrogate",
	`a (?:seen|joined|withdrawn|handed_over)`: "a sighting, an operator's statement",
	`the standard (?:input|output|error)`:     "standard input",
}

// spelling lists British spellings as regular expressions, and the American ones.
var spelling = map[string]string{
	`\w*(?:col|behavi|fav|flav|harb|hon|lab|neighb|rum)our\w*`: "-or",
	`(?:un|de|re|pre)?(?:author|capital|categor|character|custom|emphas|final|general|initial|local|maxim|minim|normal|optim|organ|prior|random|recogn|sanit|serial|special|standard|summar|synchron|token|util|visual)is(?:e[ds]?|ers?|ing|ations?|able)`: "-ize",
	`(?:cancel|dial|label|level|model|signal|travel)l(?:ed|ing|er)`: "-eled, -eling",
	`analys(?:e|ed|er|ing)`:              "analyze",
	`artefacts?`:                         "artifact",
	`(?:un)?cent(?:res?|red|ring)`:       "center",
	`(?:milli|centi|micro|kilo)?metres?`: "meter",
	`(?:de|of)fence`:                     "-ense",
	`grey\w*`:                            "gray",
	`licence[ds]?`:                       "license",
	`catalogues?`:                        "catalog",
	`programmes?`:                        "program",
	`fulfils?`:                           "fulfill",
	`(?:judge|acknowledge)ments?`:        "judgment, acknowledgment",
	`practis(?:e[ds]?|ing)`:              "practice",
	`(?:after|to)wards`:                  "afterward, toward",
	`(?:whil|among)st`:                   "while, among",
	`(?:learn|spel|burn)t`:               "learned, spelled, burned",
}

func TestWords(t *testing.T) {
	var failing []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		file, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		file = filepath.ToSlash(file)
		if slices.Contains(ignored, file) || slices.Contains(ignored, path.Base(file)) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		if slices.Contains(data, path.Ext(file)) {
			return nil
		}
		found, err := check(name, file)
		failing = append(failing, found...)
		return err
	})
	require.NoError(t, err)
	if len(failing) > 0 {
		t.Fatal(strings.Join(failing, "\n"))
	}
}

// isIn reports whether file is in the list, or in a folder of the list.
func isIn(file string, list []string) bool {
	return slices.ContainsFunc(list, func(entry string) bool { return file == entry || strings.HasPrefix(file, entry+"/") })
}

// isException reports whether a line may contain rejected words.
func isException(file, text string) bool {
	for place, parts := range exceptions {
		if isIn(file, []string{place}) && slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) }) {
			return true
		}
	}
	return false
}

// A line is a line of prose and its number.
type line struct {
	number int
	text   string
}

// check returns the rejected words of a file. The name locates the file, and errors
// contain its path from the root.
func check(name, file string) ([]string, error) {
	source, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	lines, err := prose(file, source)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, l := range lines {
		if isException(file, l.text) {
			continue
		}
		for _, r := range rejected(l.text) {
			found = append(found, fmt.Sprintf("%s:%d: %s: %s", file, l.number, r, strings.TrimSpace(l.text)))
		}
	}
	return found, nil
}

// A rule rejects the words and phrases that its pattern matches.
type rule struct {
	pattern *regexp.Regexp
	instead string
}

// words are the rules for single words, phrases the other ones, and known the result for
// each word so far, because matching every word of the tree would take seconds.
var (
	words, phrases = rules()
	known          = map[string]string{}
)

func rules() (words, phrases []rule) {
	for _, table := range []map[string]string{terms, spelling} {
		for pattern, instead := range table {
			if strings.Contains(pattern, " ") {
				phrases = append(phrases, rule{regexp.MustCompile(`\b(?:` + pattern + `)\b`), instead})
			} else {
				words = append(words, rule{regexp.MustCompile(`^(?:` + pattern + `)$`), instead})
			}
		}
	}
	return words, phrases
}

// rejected returns a message for each rejected word and phrase in a text.
func rejected(text string) []string {
	text = standard.ReplaceAllString(strings.ToLower(text), "")
	var found []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r < 'a' || r > 'z' }) {
		message, ok := known[word]
		if !ok {
			for _, r := range words {
				if r.pattern.MatchString(word) {
					message = fmt.Sprintf("%q; write %s", word, r.instead)
				}
			}
			known[word] = message
		}
		if message != "" {
			found = append(found, message)
		}
	}
	for _, r := range phrases {
		for _, phrase := range r.pattern.FindAllString(text, -1) {
			found = append(found, fmt.Sprintf("%q; write %s", phrase, r.instead))
		}
	}
	return found
}

// prose returns the lines of a file that contain prose.
func prose(file string, source []byte) ([]line, error) {
	text := string(source)
	switch path.Ext(file) {
	case ".go":
		return goProse(file, source)
	case ".md":
		return lines(blank(text, markdownCode)), nil
	case ".html", ".tmpl":
		return lines(blank(text, markup)), nil
	case ".js", ".mjs", ".ts", ".mts", ".css":
		return lines(scriptLines(text)), nil
	case ".yml", ".yaml", ".py", ".sql", ".lua", ".env", ".service":
		return lines(text), nil
	}
	if strings.HasPrefix(text, "#!") || path.Base(file) == "Dockerfile" {
		return lines(text), nil
	}
	return nil, nil
}

var (
	markdownCode = regexp.MustCompile("(?s)(?m:^[ \t]*```.*?^[ \t]*```)|`[^`]*`|\\]\\([^)]*\\)")
	markup       = regexp.MustCompile("(?s)<(?:[^<>\"]|\"[^\"]*\")*>|\\{\\{.*?\\}\\}|`[^`\n]*`")
	scriptProse  = regexp.MustCompile("(?s)//[^\n]*|/\\*.*?\\*/|\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`")
	substituted  = regexp.MustCompile(`\$\{[^}]*\}`)
)

// lines splits a text.
func lines(text string) []line {
	var list []line
	for i, l := range strings.Split(text, "\n") {
		list = append(list, line{i + 1, l})
	}
	return list
}

// blank replaces all matches by spaces, except newlines.
func blank(text string, matches *regexp.Regexp) string {
	return matches.ReplaceAllStringFunc(text, func(m string) string { return strings.Repeat("\n", strings.Count(m, "\n")) + " " })
}

// scriptLines replaces everything by newlines except comments and strings that contain a
// space.
func scriptLines(text string) string {
	var b strings.Builder
	end := 0
	for _, m := range scriptProse.FindAllStringIndex(text, -1) {
		part := text[m[0]:m[1]]
		if !strings.Contains(part, " ") {
			continue
		}
		b.WriteString(strings.Repeat("\n", strings.Count(text[end:m[0]], "\n")) + " " + blank(part, substituted))
		end = m[1]
	}
	return b.String()
}

// goProse returns the comments of a Go file, and outside of tests its strings that contain
// a space.
func goProse(file string, source []byte) ([]line, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var list []line
	add := func(at token.Pos, text string) {
		for i, l := range strings.Split(text, "\n") {
			list = append(list, line{fset.Position(at).Line + i, l})
		}
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			add(c.Pos(), c.Text)
		}
	}
	if strings.HasSuffix(file, "_test.go") {
		return list, nil
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING {
			if text, err := strconv.Unquote(s.Value); err == nil && strings.Contains(text, " ") {
				add(s.Pos(), text)
			}
		}
		return true
	})
	return list, nil
}

func TestRejectedWords(t *testing.T) {
	for text, want := range map[string]int{
		"A colour, the behaviour of a grey licence, normalised and 3 millimetres wide": 6,
		"It refuses a picture beside another one; also if a seen lasts for ever":       6,
		"A color, its behavior, a normalized millimeter; an analysis of emphasis":      0,
		"The default is precise; sentence endings, encounter, behold, a seen fact":     1,
		"Towards the centre, afterwards cancelled":                                     4,
	} {
		require.Len(t, rejected(text), want, text)
	}
	for file, want := range map[string]int{
		"a.go":      3, // two comments and a message
		"a_test.go": 2,
		"a.md":      1,
		"a.js":      2,
		"a.bin":     0,
	} {
		source := map[string]string{
			".go":  "// Package a has a picture.\npackage a\n\nvar picture, b = \"picture\", \"a picture\" // picture\n",
			".md":  "A picture, `picture` and [a](picture).\n```go\npicture\n```\n",
			".js":  "const picture = f(\"picture\") + \"a picture\"; // `picture`\nconst b = `one ${picture}`;\n",
			".bin": "picture",
		}[path.Ext(file)]
		list, err := prose(file, []byte(source))
		require.NoError(t, err)
		count := 0
		for _, l := range list {
			count += len(rejected(l.text))
		}
		require.Equal(t, want, count, file)
	}
}
