package reference

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	html "html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// A page contains the data for all templates.
type page struct {
	Base          string // the server's address without a trailing slash
	Version       string
	Summary       string
	Groups        []group
	ShortLink     shortLink
	Pitfalls      []pitfall
	FailedRequest string
	FailedBody    string
	Statuses      []status
	Codes         []code
	Reasons       []code
	Headers       []field
	MayRequest    string // how many requests a client may make in a minute, such as "60 requests"
	MayRequestQR  string // the same for QR codes
	CacheJSON     string
	CacheQR       string
	Exposed       string // the headers that scripts of other origins can read
	Style, Script string // relative addresses
}

// A group contains a tag's endpoints.
type group struct {
	ID, Name, Description string
	Endpoints             []endpoint
}

type endpoint struct {
	ID, Method, Path     string
	Summary, Description string
	Fields               []field // parameters of the query, or fields of the body
	Body                 string  // an example, indented; "" for GET
	BodyIsFile           bool    // the examples read it from a file
	BodyRule             string  // a rule for every body
	Media                []string
	Returns              []field
	Result               string // the response to the example, indented; "" for long responses
	IsImage              bool
	Picture              html.URL // the response, if it is one
	ExampleURL           string   // relative
	ResponseHeaders      []string
	Statuses             []status
	Examples             []example
	cacheControl         string // the header of the response
}

// A status is a response with an error.
type status struct {
	Status      int
	Description string
	Codes       []string
}

// A code is an error code with the places where it occurs.
type code struct {
	Code     string
	Status   string // such as "400"
	InErrors bool   // validation endpoints return it in errors, too
	Advice   string
}

// A shortLink is an example of a short link and its response.
type shortLink struct {
	Path, Location string
	Codes          []string
}

// Example requests that the document does not have.
const (
	exampleShortLink = "/jane.doe?text=Hi"
	exampleFailure   = "/api/v1/username-link?username=a"
)

// shortLinkCodes are the codes of errors that a short link returns with the status 400. The
// OpenAPI document does not describe short links.
var shortLinkCodes = []string{"duplicate_parameter", "invalid_query", "text_invalid", "text_too_long"}

func newPage(api http.Handler) (*page, error) {
	described, err := call(api, http.MethodGet, "/api/v1/openapi.json", "")
	if err != nil {
		return nil, err
	}
	var d document
	if err := json.Unmarshal(described.body.Bytes(), &d); err != nil {
		return nil, fmt.Errorf("the OpenAPI document: %w", err)
	}
	if len(d.Servers) != 1 {
		return nil, fmt.Errorf("the OpenAPI document has %d servers", len(d.Servers))
	}
	p := &page{
		Base: d.Servers[0].URL, Version: d.Info.Version, Summary: d.Info.Summary, Pitfalls: pitfalls,
		CacheJSON: described.header.Get("Cache-Control"), Exposed: described.header.Get("Access-Control-Expose-Headers"),
	}
	statuses := map[int]status{}
	for _, tag := range d.Tags {
		g := group{ID: strings.ToLower(tag.Name), Name: tag.Name, Description: tag.Description}
		for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
			for method, op := range d.Paths[path] {
				if op.Tags[0] != tag.Name {
					continue
				}
				e, err := d.endpoint(api, p.Base, strings.ToUpper(method), path, op)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", path, err)
				}
				g.Endpoints = append(g.Endpoints, e)
				if e.IsImage {
					p.CacheQR = e.cacheControl
				}
				for _, s := range e.Statuses {
					all := statuses[s.Status]
					s.Codes = slices.Compact(slices.Sorted(slices.Values(slices.Concat(all.Codes, s.Codes))))
					statuses[s.Status] = s
				}
			}
		}
		p.Groups = append(p.Groups, g)
	}
	for _, number := range slices.Sorted(maps.Keys(statuses)) {
		s := statuses[number]
		p.Statuses = append(p.Statuses, s)
		for _, name := range s.Codes {
			p.Codes = append(p.Codes, code{name, strconv.Itoa(number), slices.Contains(d.Components.Schemas["ErrorItemCode"].Enum, name), advice[name]})
		}
	}
	slices.SortFunc(p.Codes, func(a, b code) int { return strings.Compare(a.Code, b.Code) })
	for _, name := range d.Components.Schemas["UsernameReason"].Enum {
		p.Reasons = append(p.Reasons, code{Code: name, Advice: advice[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Headers)) {
		p.Headers = append(p.Headers, field{Name: name, Description: d.Components.Headers[name].Description})
	}

	redirect, err := call(api, http.MethodGet, exampleShortLink, "")
	if err != nil {
		return nil, err
	}
	p.ShortLink = shortLink{exampleShortLink, redirect.header.Get("Location"), shortLinkCodes}
	failed, err := call(api, http.MethodGet, exampleFailure, "")
	if err != nil {
		return nil, err
	}
	p.FailedRequest, p.FailedBody = p.Base+exampleFailure, indent(failed.body.Bytes())
	return p, nil
}

// FirstExample returns the first endpoint's first example.
func (p *page) FirstExample() string { return p.Groups[0].Endpoints[0].Examples[0].Code }

// Languages returns the titles of the examples.
func (*page) Languages() []string {
	titles := make([]string, len(languages))
	for i, l := range languages {
		titles[i] = l.title
	}
	return titles
}

func (d *document) endpoint(api http.Handler, base, method, path string, op *operation) (endpoint, error) {
	e := endpoint{ID: op.OperationID, Method: method, Path: path, Summary: op.Summary, Description: op.Description}
	req := request{ID: op.OperationID, URL: base + path, values: map[string]string{}}
	for _, parameter := range op.Parameters {
		f := d.field(parameter.Name, parameter.Schema)
		f.Description, f.Required = parameter.Description, parameter.Required
		if parameter.Example != nil {
			f.Example = asText(parameter.Example)
			req.Query = append(req.Query, pair{f.Name, f.Example})
			req.values[f.Name] = f.Example
		}
		e.Fields = append(e.Fields, f)
	}
	target := path
	if len(req.Query) > 0 {
		target += "?" + req.encodedQuery()
	}
	if op.RequestBody != nil {
		content := op.RequestBody.Content["application/json"]
		req.Body = string(compact(content.Example))
		req.BodyIsFile = len(req.Body) > 200
		e.BodyIsFile = req.BodyIsFile
		e.Body, e.BodyRule = indent(content.Example), op.RequestBody.Description
		e.Fields = d.fields("", content.Schema, e.Body)
		_ = json.Unmarshal(content.Example, &req.values) // a webhook has other values than strings, and uses none
	}
	result, err := call(api, method, target, req.Body)
	if err != nil {
		return endpoint{}, err
	}
	if result.status != http.StatusOK {
		return endpoint{}, fmt.Errorf("the example request has status %d: %s", result.status, result.body.String())
	}
	e.ExampleURL = strings.TrimPrefix(target, "/")
	contentType := result.header.Get("Content-Type")
	e.IsImage = strings.HasPrefix(contentType, "image/")
	if e.IsImage {
		e.Picture = html.URL("data:" + contentType + ";base64," + base64.StdEncoding.EncodeToString(result.body.Bytes())) //nolint:gosec // drawn by the API
	}
	req.IsImage, e.cacheControl = e.IsImage, result.header.Get("Cache-Control")
	ok := op.Responses["200"]
	e.Media = slices.Sorted(maps.Keys(ok.Content))
	e.ResponseHeaders = slices.Sorted(maps.Keys(ok.Headers))
	if content, isJSON := ok.Content["application/json"]; isJSON {
		if shown := indent(result.body.Bytes()); len(shown) <= longestResult {
			e.Result, e.Returns = shown, d.fields("", content.Schema, shown)
		}
	}
	for number, r := range op.Responses {
		if resolved := d.response(r); resolved.Codes != nil {
			n, err := strconv.Atoi(number)
			if err != nil {
				return endpoint{}, err
			}
			e.Statuses = append(e.Statuses, status{n, resolved.Description, resolved.Codes})
		}
	}
	slices.SortFunc(e.Statuses, func(a, b status) int { return a.Status - b.Status })
	e.Examples, err = req.examples()
	return e, err
}

// longestResult is the maximum length of example responses. For example, openapi.json exceeds it.
const longestResult = 8 << 10

// A request contains the templates' data for an example.
type request struct {
	ID         string // the operation
	URL        string // without the query
	Query      []pair
	Body       string // JSON on one line; "" for GET
	BodyIsFile bool   // the body is read from webhook.json
	IsImage    bool   // the response is one
	values     map[string]string
}

type pair struct{ Name, Value string }

// Value returns a request's parameter or field.
func (r request) Value(name string) string { return r.values[name] }

func (r request) encodedQuery() string {
	parts := make([]string, len(r.Query))
	for i, p := range r.Query {
		parts[i] = p.Name + "=" + strings.ReplaceAll(url.QueryEscape(p.Value), "+", "%20")
	}
	return strings.Join(parts, "&")
}

// An example is a request in a language.
type example struct {
	Language string // the info string of its block in Markdown, such as "go"
	Title    string
	Code     string
}

// languages specifies the examples. A template name ending with a colon is completed by the
// operation's ID, because the libraries provide a function for each operation.
var languages = []struct{ language, title, template string }{
	{"sh", "curl", "curl"},
	{"go", "Go, with the library", "go:"},
	{"go", "Go, over HTTP", "go"},
	{"js", "JavaScript, with the package hailmark", "js:"},
	{"js", "JavaScript, with fetch", "js"},
	{"python", "Python", "python"},
}

func (r request) examples() ([]example, error) {
	var all []example
	for _, l := range languages {
		name := l.template
		if strings.HasSuffix(name, ":") {
			name += r.ID
		}
		if textPages.Lookup(name) == nil {
			continue // the library has no function for this
		}
		var b bytes.Buffer
		if err := textPages.ExecuteTemplate(&b, name, r); err != nil {
			return nil, err
		}
		all = append(all, example{l.language, l.title, strings.TrimSpace(b.String()) + "\n"})
	}
	return all, nil
}

// quote returns a literal for Go, JavaScript, Python and JSON. It doesn't support control
// characters.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.TrimSpace(b.String())
}

// shellQuote returns a shell word.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func indent(data []byte) string {
	var b bytes.Buffer
	if err := json.Indent(&b, bytes.TrimSpace(data), "", "  "); err != nil {
		return ""
	}
	return b.String()
}

func compact(data []byte) []byte {
	var b bytes.Buffer
	_ = json.Compact(&b, data) // a part of a document that was decoded
	return b.Bytes()
}
