package repotest

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/qrcode"
	"github.com/hailmark/hailmark/webhooknorm"
)

// A place repeats a list that Go decides.
type place struct {
	list, file string // the file may be a pattern

	// form is a regular expression that finds a word, whose place is %s, or %c for the constant with the
	// word as its value.
	form string

	// within is a regular expression. Its group contains only words of the list, which the group word
	// finds there. Without it, the file may contain other words.
	within, word string

	except string // words that the file needn't contain
	more   string // other words that it contains within
}

const word = `\b%s\b`

// places are all places of each list. A new list in another file is a new line.
var places = []place{
	{list: "kinds", file: "docs/webhooks.md", form: word},
	{list: "kinds", file: "vectors/vectors.schema.json", form: `"%s"`},
	{list: "kinds", file: "vectors/webhook_read.json", form: `"kind": "%s"`},
	{list: "kinds", file: "cmd/wasm/npm/index.d.ts", within: `(?s)interface Event \{\s*kind:(.*?);`, word: `"(\w+)"`},
	{list: "kinds", file: "cmd/internal/mcp/webhook.go", form: `webhooknorm\.%c\b`},
	{ // who acts, and so proves that they exist
		list: "kinds", file: "contact/identity/webhook.go", form: `webhooknorm\.%c\b`,
		except: "status echo call_to_user participant_failed identity_update handover",
	},

	{list: "linkKinds", file: "cmd/wasm/npm/index.d.ts", within: `(?s)interface Link \{\s*kind:(.*?);`, word: `"(\w+)"`},
	{list: "linkKinds", file: "cmd/internal/mcp/tools.go", within: `(?s)var linkKinds = .*?\{(.*?)\n\}`, word: `"(\w+)":`},
	{list: "linkKinds", file: "vectors/parse_link.json", form: `"kind": "%s"`},
	{list: "linkKinds", file: "vectors/vectors.schema.json", form: `"%s"`},

	{list: "usernameRules", file: "cmd/internal/page/assets/texts.js", form: `"group\.%s"`},
	{list: "usernameRules", file: "cmd/internal/reference/advice.go", form: `"%s":`},
	{list: "usernameRules", file: "docs/errors.md", form: "`%s`"},
	{list: "usernameRules", file: "httpapi/openapi.json", form: `"%s"`},
	{list: "usernameRules", file: "httpapi/reason.go", form: `busname\.%c\b`},
	{list: "usernameRules", file: "internal/check/harness/e2e/codes_test.go", form: `"%s":`},
	{list: "usernameRules", file: "vectors/username_parse.json", form: `"%s"`},

	{list: "reasons", file: "docs/errors.md", form: "`%s`"},
	{list: "reasons", file: "httpapi/openapi.json", within: `(?s)"UsernameReason": \{.*?"enum": \[(.*?)\]`, word: `"(\w+)"`},
	{list: "reasons", file: "cmd/internal/reference/advice.go", form: `"%s":`},
	{list: "reasons", file: "vectors/username_reasons.json", form: `"%s"`},

	{list: "codes", file: "docs/errors.md", form: "`%s`"},
	{
		list: "codes", file: "cmd/wasm/npm/index.d.ts", within: `(?s)type ProblemCode =(.*?);`, word: `"(\w+)"`,
		more: "caption_not_drawn row_encoding row_malformed", // about tables
	},

	{list: "qrSettings", file: "cmd/hailmark/qr.go", form: `"%s"`, except: "title"}, // which is the link
	{list: "qrSettings", file: "cmd/internal/mcp/tools.go", form: `json:"%w,`, except: "title margin"},
	{list: "qrSettings", file: "cmd/wasm/internal/calls/*.go", form: `"(min)?(?i:%s)"`},
	{list: "qrSettings", file: "cmd/wasm/npm/index.d.ts", form: `  (min)?(?i:%s)\?: `},
	{list: "qrSettings", file: "httpapi/routes.go", form: `"%s"`, except: "level margin title"}, // by the interface specification
	{list: "qrSettings", file: "vectors/qr_options.json", form: `"name": "%s"`, except: "level margin title"},

	{list: "routes", file: "httpapi/httpapi.go", form: `%s`},
	{list: "routes", file: "httpapi/openapi.json", form: `"%s"`, except: "/{username}"},
	{list: "routes", file: "docs/http.md", form: `%s`, except: "/{username} /api/v1/openapi.json"},
	{list: "routes", file: "vectors/http.json", form: `%s`, except: "/{username}"},

	{list: "rateLimits", file: "cmd/internal/serve/options.go", form: `"%s-limit"`},
	{list: "rateLimits", file: "docs/deploy.md", form: `--%s-limit`},
	{list: "rateLimits", file: "vectors/README.md", form: `--%s-limit`},

	{list: "members of httpapi", file: "httpapi/openapi.json", form: `"%s": `},
	{list: "members of httpapi", file: "vectors/http.json", form: `"%s": `, except: "error"}, // whose code stands for it
	{list: "members of webhooknorm", file: "httpapi/wire/*.go", form: `"%s"|\.(?i:%s)\b`},
	{list: "members of webhooknorm", file: "cmd/wasm/npm/index.d.ts", form: `  %s\??: `},
	{list: "members of webhooknorm", file: "docs/webhooks.md", form: word},
	{list: "members of webhooknorm", file: "vectors/vectors.schema.json", form: `"%s"`, except: "raw"},
	{list: "members of webhooknorm", file: "vectors/webhook_*.json", form: `"%s": `, except: "raw"},

	{list: "npm", file: "cmd/wasm/npm/*.js", form: `\b%m\b`},
}

// A stated limit is a constant's value in documents and messages. The form's %d is the value in units.
var stated = map[string]struct {
	unit  int64
	form  string
	files string
}{
	"bound.defaultSize":        {1 << 20, `\b%d MiB`, "httpapi/bound/pool.go"},
	"busname.MinLength":        {1, `\b%d-[0-9]+ characters`, "httpapi/openapi.json httpapi/httpapi.go cmd/wasm/npm/index.d.ts cmd/internal/reference/advice.go docs/http.md"},
	"busname.MaxLength":        {1, `\b[0-9]-%d characters`, "httpapi/openapi.json httpapi/httpapi.go cmd/wasm/npm/index.d.ts cmd/internal/reference/advice.go docs/http.md"},
	"bsuid.maxID":              {1, `\b1-%d\b`, "cmd/wasm/npm/index.d.ts"},
	"chatlink.minKeyLength":    {1, `\b%d-[0-9]`, "cmd/wasm/npm/index.d.ts"},
	"chatlink.maxKeyLength":    {1, `\b[0-9]-%d`, "cmd/wasm/npm/index.d.ts"},
	"chatlink.maxTextLength":   {1, `\b%d characters`, "httpapi/openapi.json cmd/wasm/npm/index.d.ts cmd/internal/mcp/tools.go chatlink/code.go"},
	"httpapi.smallBody":        {1 << 10, `\b%d KiB`, "httpapi/openapi.json httpapi/httpapi.go httpapi/code.go docs/http.md docs/errors.md docs/deploy.md vectors/decisions.md"},
	"httpapi.webhookBody":      {1 << 20, `\b%d MiB`, "httpapi/httpapi.go httpapi/code.go docs/http.md docs/errors.md docs/deploy.md vectors/decisions.md"},
	"httpapi.maxResponse":      {1 << 20, `\b%d MiB`, "httpapi/httpapi.go httpapi/code.go docs/http.md docs/errors.md cmd/internal/reference/advice.go"},
	"httpapi.defaultJSONLimit": {1, `\b%d (requests|others) per minute`, "httpapi/openapi.json httpapi/httpapi.go docs/http.md docs/numbers.md vectors/README.md"},
	"httpapi.defaultQRLimit":   {1, `\b%d (requests )?for QR codes`, "httpapi/openapi.json httpapi/httpapi.go docs/http.md vectors/README.md"},
	"httpapi.maxQRSize":        {1, `"maximum": %d\b`, "httpapi/openapi.json"},
	"qrcode.MinSize":           {1, `\b%d-[0-9]+`, "cmd/wasm/npm/index.d.ts"},
	"qrcode.MaxSize":           {1, `\b[0-9]+-%d`, "cmd/wasm/npm/index.d.ts"},
	"qrcode.maxMargin":         {1, `\b[0-9]-%d`, "cmd/wasm/npm/index.d.ts"},
	"qrcode.defaultSize":       {1, `\b%d, the default`, "cmd/wasm/npm/index.d.ts"},
	"webhooknorm.maxEvents":    {1, `\b%d (events|messages)`, "docs/http.md docs/errors.md"},
	"webhookhttp.maxPayload":   {1 << 20, `\b%d MiB`, "webhooknorm/webhookhttp/handler.go cmd/wasm/npm/README.md"},
	"webhookhttp.maxLookups":   {1, `\b%d (lookups|at a time)`, "docs/guide-webhooks.md webhooknorm/webhookhttp/handler.go"},
}

// unstated are the limits that no document repeats.
var unstated = strings.Fields(`
	bound.SmallBody chatlink.maxCodeLength chatlink.maxRun chatlink.maxSuggestText chatlink.maxWord httpapi.maxLimit phone.maxDigits
	phone.maxExtra phone.minDigits problem.MaxSuggestions qrcode.minContrast webhooknorm.maxErrors webhooknorm.maxRepeated
`)

// sizes pins how much there is. A larger number is a decision.
var sizes = map[string]int{
	"routes": 14, "npm": 35,
	"exports of bsuid": 15, "exports of busname": 26, "exports of chatlink": 59, "exports of contact": 15, "exports of httpapi": 41,
	"exports of httpapi/bound": 27, "exports of phone": 26, "exports of problem": 19, "exports of qrcode": 67, "exports of webhooknorm": 51,
	"exports of httpapi/wire": 14, "exports of webhooknorm/webhookhttp": 4,
}

// libraryPackages are the packages whose limits and exported names are pinned.
var libraryPackages = strings.Fields("bsuid busname chatlink contact httpapi httpapi/bound httpapi/wire phone problem qrcode webhooknorm webhooknorm/webhookhttp")

// Each fact is decided once, in Go, and every other list has it. A new word fails with all its places.
//
//	go test ./internal/check/repotest -run TestNames -update
//
// writes vectors/names.json. The other places are for you.
func TestNames(t *testing.T) {
	atRoot(t)
	files := sources(t)
	lists := map[string]any{"linkKinds": valuesOf(files["chatlink"], "Kind"), "npm": npmNames(t)}
	var kinds, rules, settings, rateLimits []string
	for _, kind := range webhooknorm.Kinds() {
		kinds = append(kinds, string(kind))
	}
	for _, rule := range busname.Rules() {
		rules = append(rules, string(rule.Code))
	}
	for _, setting := range qrcode.Settings() {
		settings = append(settings, setting.Name)
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[httpapi.Limits]()) {
		rateLimits = append(rateLimits, strings.ToLower(field.Name))
	}
	lists["kinds"], lists["usernameRules"], lists["qrSettings"], lists["rateLimits"] = kinds, rules, settings, rateLimits
	lists["reasons"] = valuesOf(files["httpapi"], "Reason")
	lists["routes"] = httpapi.Routes()
	codes := slices.Clone(lists["reasons"].([]string))
	for _, list := range files {
		codes = append(codes, valuesOf(list, "problem.Code")...)
	}
	slices.Sort(codes)
	lists["codes"] = slices.Compact(codes)
	for _, dir := range []string{"httpapi", "webhooknorm"} {
		lists["members of "+dir] = membersOf(files[dir])
	}
	limits := limitsOf(t, files)
	lists["limits"] = limits

	stale, err := vectors.StaleNames(lists, *update)
	require.NoError(t, err)
	var wrong []string
	for _, list := range stale {
		wrong = append(wrong, fmt.Sprintf("vectors/%s: run this test with -update to correct the list %s", vectors.NamesFile, list))
	}
	constants := constantsByValue(files)
	for _, p := range places {
		words, isList := lists[p.list].([]string)
		require.True(t, isList, p.list)
		wrong = append(wrong, p.compare(t, words, constants)...)
	}
	wrong = append(wrong, compareLimits(t, limits)...)
	wrong = append(wrong, compareSize("routes", len(httpapi.Routes()))...)
	wrong = append(wrong, compareSize("npm", len(lists["npm"].([]string)))...)
	for _, dir := range libraryPackages {
		wrong = append(wrong, compareSize("exports of "+dir, exports(files[dir]))...)
	}
	slices.Sort(wrong)
	require.True(t, len(wrong) == 0, "%d places:\n%s", len(wrong), strings.Join(wrong, "\n"))
}

// Every exported type is its package's own. An alias of an internal type shows people a type that they can
// neither read about nor import.
func TestNoAliases(t *testing.T) {
	atRoot(t)
	for dir, files := range sources(t) {
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				if spec, ok := n.(*ast.TypeSpec); ok {
					require.False(t, spec.Assign.IsValid() && spec.Name.IsExported(), "%s: make %s a type", dir, spec.Name)
				}
				return true
			})
		}
	}
}

func compareSize(name string, n int) []string {
	if n == sizes[name] {
		return nil
	}
	return []string{fmt.Sprintf("internal/check/repotest/names_test.go: %s: there are %d instead of %d; change sizes if that's wanted", name, n, sizes[name])}
}

// compare returns what the place lacks and has in addition.
func (p *place) compare(t *testing.T, words []string, constants map[string]string) (wrong []string) {
	t.Helper()
	text := readAll(t, p.file)
	if p.within != "" {
		group := regexp.MustCompile(p.within).FindStringSubmatch(text)
		require.NotNil(t, group, "%s has no list %s", p.file, p.list)
		var found []string
		for _, m := range regexp.MustCompile(p.word).FindAllStringSubmatch(group[1], -1) {
			found = append(found, m[1])
			if !slices.Contains(words, m[1]) && !slices.Contains(strings.Fields(p.more), m[1]) {
				wrong = append(wrong, fmt.Sprintf("%s: remove %s, which isn't one of %s", p.file, m[1], p.list))
			}
		}
		for _, w := range words {
			if !slices.Contains(found, w) {
				wrong = append(wrong, fmt.Sprintf("%s: add %s, which is one of %s", p.file, w, p.list))
			}
		}
		return wrong
	}
	for _, w := range words {
		form := strings.NewReplacer(
			"%s", regexp.QuoteMeta(w),
			"%c", constants[w],
			"%m", regexp.QuoteMeta(w[strings.LastIndexByte(w, '.')+1:]),
			"%w", wordOf(w),
		).Replace(p.form)
		if !slices.Contains(strings.Fields(p.except), w) && !regexp.MustCompile(form).MatchString(text) {
			wrong = append(wrong, fmt.Sprintf("%s: add %s, which is one of %s", p.file, w, p.list))
		}
	}
	return wrong
}

// wordOf returns the word for people of a setting.
func wordOf(name string) string {
	for _, s := range qrcode.Settings() {
		if s.Name == name {
			return s.Word
		}
	}
	return name
}

func compareLimits(t *testing.T, limits map[string]int64) (wrong []string) {
	t.Helper()
	for name, value := range limits {
		s, isStated := stated[name]
		if !isStated {
			if !slices.Contains(unstated, name) {
				wrong = append(wrong, fmt.Sprintf("internal/check/repotest/names_test.go: add %s to stated, with the files that repeat it, or to unstated", name))
			}
			continue
		}
		digits := strconv.FormatInt(value/s.unit, 10)
		if value >= 10_000 && s.unit == 1 {
			digits = fmt.Sprintf("%s,?%s", digits[:len(digits)-3], digits[len(digits)-3:])
		}
		for file := range strings.FieldsSeq(s.files) {
			if form := strings.ReplaceAll(s.form, "%d", digits); !regexp.MustCompile(form).MatchString(readAll(t, file)) {
				wrong = append(wrong, fmt.Sprintf("%s: write %s, which is the limit %s", file, form, name))
			}
		}
	}
	for name := range stated {
		require.Contains(t, limits, name, "stated")
	}
	return wrong
}

// readAll returns the files of a pattern.
func readAll(t *testing.T, pattern string) string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, names, pattern)
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		all.Write(text)
	}
	return all.String()
}

// eachConstant calls f with each constant that has a value of its own.
func eachConstant(files []*ast.File, f func(spec *ast.ValueSpec, value ast.Expr)) {
	for _, file := range files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.GenDecl); ok && decl.Tok == token.CONST {
				for _, s := range decl.Specs {
					if spec := s.(*ast.ValueSpec); len(spec.Values) == 1 {
						f(spec, spec.Values[0])
					}
				}
			}
		}
	}
}

// valuesOf returns the texts of a type's constants.
func valuesOf(files []*ast.File, typ string) (values []string) {
	eachConstant(files, func(spec *ast.ValueSpec, value ast.Expr) {
		if spec.Type == nil || types.ExprString(spec.Type) != typ {
			return
		}
		text, err := strconv.Unquote(value.(*ast.BasicLit).Value)
		if err == nil {
			values = append(values, text)
		}
	})
	return values
}

// constantsByValue returns the names of constants by their texts.
func constantsByValue(files map[string][]*ast.File) map[string]string {
	names := map[string]string{}
	for _, dir := range []string{"busname", "webhooknorm"} {
		eachConstant(files[dir], func(spec *ast.ValueSpec, value ast.Expr) {
			if text, ok := value.(*ast.BasicLit); ok && text.Kind == token.STRING {
				names[strings.Trim(text.Value, `"`)] = spec.Names[0].Name
			}
		})
	}
	return names
}

// limitsOf returns the whole numbers of the library that are called limits.
func limitsOf(t *testing.T, files map[string][]*ast.File) map[string]int64 {
	t.Helper()
	isLimit := regexp.MustCompile(`^([Mm]ax|[Mm]in|default)[A-Z]|[a-z](Limit|Body)$`)
	limits := map[string]int64{}
	for _, dir := range libraryPackages {
		eachConstant(files[dir], func(spec *ast.ValueSpec, value ast.Expr) {
			if !isLimit.MatchString(spec.Names[0].Name) {
				return
			}
			v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, types.ExprString(value))
			if err == nil && v.Value != nil && v.Value.Kind() == constant.Int {
				n, _ := constant.Int64Val(v.Value)
				limits[path.Base(dir)+"."+spec.Names[0].Name] = n
			}
		})
	}
	return limits
}

// membersOf returns the names of JSON members.
func membersOf(files []*ast.File) []string {
	found := map[string]bool{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && field.Tag != nil {
				name, _, _ := strings.Cut(reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("json"), ",")
				found[name] = found[name] || name != "" && name != "-"
			}
			return true
		})
	}
	maps.DeleteFunc(found, func(_ string, isName bool) bool { return !isName })
	return slices.Sorted(maps.Keys(found))
}

// exports counts the exported names of a package, with the methods of its exported types.
func exports(files []*ast.File) (n int) {
	eachDeclared(files, func(name, receiver string) {
		if ast.IsExported(name) && (receiver == "" || ast.IsExported(receiver)) {
			n++
		}
	})
	return n
}

// eachDeclared calls f for each name that files declare in their package, with the receiver's type if
// it's a method.
func eachDeclared(files []*ast.File, f func(name, receiver string)) {
	for _, file := range files {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				receiver := ""
				if decl.Recv != nil {
					receiver = strings.Trim(types.ExprString(decl.Recv.List[0].Type), "*")
				}
				f(decl.Name.Name, receiver)
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						f(spec.Name.Name, "")
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							f(name.Name, "")
						}
					}
				}
			}
		}
	}
}

// npmNames returns the functions that the npm package's types declare, such as chatlink.parseLink.
func npmNames(t *testing.T) (names []string) {
	t.Helper()
	text := readAll(t, "cmd/wasm/npm/index.d.ts")
	main := regexp.MustCompile(`(?s)export interface Hailmark \{(.*?)\n\}`).FindStringSubmatch(text)
	require.NotNil(t, main)
	for _, space := range regexp.MustCompile(`readonly (\w+): ([A-Z]\w+);`).FindAllStringSubmatch(main[1], -1) {
		body := regexp.MustCompile(`(?s)export interface ` + space[2] + ` \{(.*?)\n\}`).FindStringSubmatch(text)
		require.NotNil(t, body, space[2])
		for _, m := range regexp.MustCompile(`(?m)^  (?:readonly )?(\w+)[(:]`).FindAllStringSubmatch(body[1], -1) {
			names = append(names, space[1]+"."+m[1])
		}
	}
	return names
}
