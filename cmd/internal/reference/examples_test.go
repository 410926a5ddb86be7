package reference

import (
	"encoding/json"
	"fmt"
	"go/format"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/cmd/internal/static"
	"github.com/hailmark/hailmark/internal/check/testenv"
)

// noFunction marks an endpoint that only the service offers.
const noFunction = "none"

// outputs are what the examples with the libraries print. The others print the response.
var outputs = map[string]struct{ golang, javascript string }{
	"getUsernameLink":          {"https://wa.me/jane.doe?text=Is%20the%20red%20one%20still%20there%3F", `"https://wa.me/jane.doe?text=Is%20the%20red%20one%20still%20there%3F"`},
	"getPhoneLink":             {"https://wa.me/16505551234?text=Is%20the%20red%20one%20still%20there%3F", `"https://wa.me/16505551234?text=Is%20the%20red%20one%20still%20there%3F"`},
	"validateUsername":         {"true", "[]"},
	"validateKey":              {noFunction, `"aB3d"`},
	"validatePhone":            {"true", `"16505551234"`},
	"getQR":                    {"", ""},
	"validateBsuid":            {"true true", "true"},
	"parseBsuid":               {"US 11815799212886844830 true", `{"countryCode":"US","id":"11815799212886844830","isParent":true,"countryKnown":true}`},
	"validateBusinessUsername": {"true", "[]"},
	"resolveContact":           {"US.13491208655302741918 recipient true", `{"type":"bsuid","id":"US.13491208655302741918","phoneKnown":false,"bsuidKnown":true}`},
	"normalizeWebhook": {
		"message US.13491208655302741918  jane.doe Jane Doe",
		`"message" "US.13491208655302741918" "jane.doe" "Jane Doe"`,
	},
	"readWebhook": {
		"message Is the red one still there? recipient US.13491208655302741918 true",
		`"message" "Is the red one still there?" {"field":"recipient","value":"US.13491208655302741918"}`,
	},
}

// A site is a server with the API, and a folder for the files of the examples.
type site struct {
	t      *testing.T
	page   *page
	pages  map[string]*static.File
	folder string
}

func newSite(t *testing.T) site {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	base := "http://" + server.Listener.Addr().String()
	api := newAPI(t, base)
	server.Config.Handler = api
	server.Start()
	t.Cleanup(server.Close)
	page, err := newPage(api)
	require.NoError(t, err)
	s := site{t, page, newPages(t, base), t.TempDir()}
	for _, g := range page.Groups {
		for _, e := range g.Endpoints {
			if e.BodyIsFile {
				s.write("webhook.json", e.Body)
			}
		}
	}
	return s
}

func (s site) write(name, content string) string {
	s.t.Helper()
	file := filepath.Join(s.folder, name)
	require.NoError(s.t, os.WriteFile(file, []byte(content), 0o600))
	return file
}

// run runs a program in the folder and returns what it prints.
func (s site) run(program string, args ...string) string {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), program, args...)
	cmd.Dir = s.folder
	var messages strings.Builder
	cmd.Stderr = &messages
	out, err := cmd.Output()
	require.NoError(s.t, err, "%s\n%s", strings.Join(args, " "), messages.String())
	return strings.TrimSpace(string(out))
}

// get returns the response to the example request of an endpoint.
func (s site) get(address string) string {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.page.Base+"/"+address, nil)
	require.NoError(s.t, err)
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(s.t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(s.t, err)
	return string(body)
}

// eachExample runs the examples of a kind, and compares what they print with the
// responses, and with outputs if they use a library.
func (s site) eachExample(title string, output func(id string) string, run func(code string) string) {
	s.t.Helper()
	count, endpoints := 0, 0
	for _, g := range s.page.Groups {
		for _, e := range g.Endpoints {
			endpoints++
			for _, x := range e.Examples {
				if x.Title != title {
					continue
				}
				count++
				picture := filepath.Join(s.folder, "jane.png")
				_ = os.Remove(picture)
				printed := run(x.Code)
				if e.IsImage {
					drawn, err := os.ReadFile(picture)
					if title == "JavaScript, with fetch" { // which works in browsers too, so it writes no file
						require.Equal(s.t, fmt.Sprintf(`"image/png" %d`, len(s.get(e.ExampleURL))), printed)
						continue
					}
					require.NoError(s.t, err)
					require.Equal(s.t, s.get(e.ExampleURL), string(drawn), "%s, %s", e.ID, title)
				}
				want := e.Result
				switch {
				case output != nil:
					want = output(e.ID)
				case e.IsImage:
					want = ""
				case want == "":
					want = s.get(e.ExampleURL)
				}
				if json.Valid([]byte(want)) && json.Valid([]byte(printed)) {
					require.JSONEq(s.t, want, printed, "%s, %s", e.ID, title)
				} else {
					require.Equal(s.t, want, printed, "%s, %s", e.ID, title)
				}
			}
		}
	}
	if output == nil {
		require.Equal(s.t, endpoints, count, "every endpoint has an example")
	} else {
		used := 0
		for id := range outputs {
			if output(id) != noFunction {
				used++
			}
		}
		require.Equal(s.t, used, count, "outputs has an entry that is not used")
	}
}

func TestExamplesCurl(t *testing.T) {
	testenv.Slow(t)
	testenv.Needs(t, "curl", "Debian package curl")
	s := newSite(t)
	s.eachExample("curl", nil, func(code string) string { return s.run("sh", "-c", code) })

	// The commands outside of the endpoints stand before their output.
	page := html.UnescapeString(get(s.pages[PathHTML], nil).Body.String())
	blocks := regexp.MustCompile(`(?s)<pre><code>(.*?)</code></pre>`).FindAllStringSubmatch(page, -1)
	markdown := regexp.MustCompile("(?s)```\\w+\n(.*?)\n```").FindAllStringSubmatch(get(s.pages[PathMarkdown], nil).Body.String(), -1)
	commands := 0
	for i, block := range append(blocks, markdown...) {
		switch {
		case strings.HasPrefix(block[1], "curl -s -o /dev/null"), strings.Contains(block[1], "username=a'"):
			commands++
			require.Equal(t, append(blocks, markdown...)[i+1][1], strings.TrimSpace(indentOr(s.run("sh", "-c", block[1]))))
		case strings.HasPrefix(block[1], "curl -s '"):
			commands++
			require.True(t, json.Valid([]byte(s.run("sh", "-c", block[1]))))
		}
	}
	require.Equal(t, 5, commands)
}

func indentOr(s string) string {
	if indented := indent([]byte(s)); indented != "" {
		return indented
	}
	return s
}

func TestExamplesPython(t *testing.T) {
	testenv.Slow(t)
	python := testenv.Needs(t, "python3", "Debian package python3")
	s := newSite(t)
	s.eachExample("Python", nil, func(code string) string {
		return s.run(python, s.write("example.py", "import json as _json\ndef print(v):\n    import sys\n    sys.stdout.write(_json.dumps(v))\n"+code))
	})
}

func TestExamplesJavaScript(t *testing.T) {
	testenv.Slow(t)
	node := testenv.Needs(t, "node", "Debian package nodejs")
	s := newSite(t)
	run := func(code string) string {
		return s.run(node, s.write("example.mjs", `console.log = (...v) => process.stdout.write(v.map((x) => JSON.stringify(x)).join(" ") + "\n");`+"\n"+code))
	}
	s.eachExample("JavaScript, with fetch", nil, run)

	// The package as npm would install it.
	installed := filepath.Join(s.folder, "node_modules", "hailmark")
	require.NoError(t, os.MkdirAll(installed, 0o700))
	source := filepath.Join("..", "..", "wasm")
	files, err := filepath.Glob(filepath.Join(source, "npm", "*.js*"))
	require.NoError(t, err)
	for _, file := range files {
		body, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(installed, filepath.Base(file)), body, 0o600))
	}
	build, err := filepath.Abs(filepath.Join(source, "build"))
	require.NoError(t, err)
	s.run(build, installed)
	s.eachExample("JavaScript, with the package hailmark", func(id string) string { return outputs[id].javascript }, run)
}

// All examples in Go are one program, which runs the one that its argument names.
func TestExamplesGo(t *testing.T) {
	testenv.Slow(t)
	s := newSite(t)
	var functions []string
	for _, g := range s.page.Groups {
		for _, e := range g.Endpoints {
			for _, x := range e.Examples {
				if x.Language == "go" {
					functions = append(functions, x.Code)
				}
			}
		}
	}
	summary := get(s.pages[PathSummary], nil).Body.String()
	_, snippet, found := strings.Cut(summary, "```go\n")
	require.True(t, found)
	snippet, _, _ = strings.Cut(snippet, "```")
	functions = append(functions, snippet)

	var body strings.Builder
	index := map[string]string{}
	for i, code := range functions {
		formatted, err := format.Source([]byte(code))
		require.NoError(t, err, code)
		require.Equal(t, string(formatted), code, "gofmt")
		index[code] = fmt.Sprint(i)
		end := "\nreturn nil\n}\n"
		if strings.Contains(code, "\nreturn os.WriteFile") {
			end = "}\n"
		}
		fmt.Fprintf(&body, "func example%d(payload []byte) error {\n%s%s", i, code, end)
	}
	body.WriteString("func main() {\npayload, err := os.ReadFile(\"webhook.json\")\nif err == nil {\nerr = []func([]byte) error{")
	for i := range functions {
		fmt.Fprintf(&body, "example%d, ", i)
	}
	body.WriteString("}[must(strconv.Atoi(os.Args[1]))](payload)\n}\nif err != nil {\nfmt.Fprintln(os.Stderr, err)\nos.Exit(1)\n}\n}\n")
	body.WriteString("func must(i int, err error) int {\nif err != nil {\npanic(err)\n}\nreturn i\n}\n")

	const module = "github.com/hailmark/hailmark/"
	imports := "package main\n"
	for _, path := range []string{
		"fmt", "io", "net/http", "net/url", "os", "strconv", "strings",
		module + "bsuid", module + "busname", module + "chatlink", module + "contact", module + "phone", module + "qrcode", module + "webhooknorm",
	} {
		imports += fmt.Sprintf("import %q\n", path)
	}
	program := filepath.Join(s.folder, "examples")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", program, s.write("main.go", imports+body.String()))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)

	run := func(code string) string { return s.run(program, index[code]) }
	s.eachExample("Go, over HTTP", nil, run)
	s.eachExample("Go, with the library", func(id string) string { return outputs[id].golang }, run)
	require.Equal(t, "message Jane Doe recipient US.13491208655302741918 true", run(snippet))
}

// The page shows the examples as the tests run them.
func TestExamplesAreShown(t *testing.T) {
	s := newSite(t)
	page := html.UnescapeString(get(s.pages[PathHTML], nil).Body.String())
	markdown := get(s.pages[PathMarkdown], nil).Body.String()
	for _, g := range s.page.Groups {
		for _, e := range g.Endpoints {
			require.GreaterOrEqual(t, len(e.Examples), 4, e.ID)
			for _, x := range e.Examples {
				require.Contains(t, page, "<pre><code>"+x.Code+"</code></pre>")
				require.Contains(t, markdown, "\n```"+x.Language+"\n"+x.Code+"```\n")
			}
		}
	}
}

// The script indents JSON as Go does, without parsing numbers.
func TestScriptIndents(t *testing.T) {
	testenv.Slow(t)
	node := testenv.Needs(t, "node", "Debian package nodejs")
	_, function, found := strings.Cut(string(script), "function indent(")
	require.True(t, found)
	texts := []string{`{"a":18446744073709551615,"b":[],"c":{},"d":[{"e":"x: [y], {z} \\\" \\\\"},-1.50e3,true,null]}`, `[]`, `"a"`, `[[1]]`}
	s := newSite(t)
	for _, g := range s.page.Groups {
		for _, e := range g.Endpoints {
			if e.Result != "" {
				texts = append(texts, e.Result)
			}
		}
	}
	for _, text := range texts {
		file := s.write("indent.mjs", "function indent("+function+"\nprocess.stdout.write(indent("+quote(text)+"));\n")
		require.Equal(t, indent([]byte(text)), s.run(node, file))
	}
}
