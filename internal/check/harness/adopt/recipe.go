package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A recipe changes a project's clone. It's a text of lines:
//
//	# a comment
//	commit HASH         the commit that the recipe fits
//	test PACKAGE...     the packages whose tests show that it works
//	new PATH            creates a file with the text that follows
//	edit PATH           changes a file by the replacements that follow, in the file's order
//	from BEGINNING      replaces the next line that begins so by the text that follows
//	to BEGINNING        replaces all lines up to the next one that begins so, too
//	|TEXT               a line of text
//
// So it contains the new lines, but of the project's own only the beginnings of those where a
// cut begins and ends.
type recipe struct {
	commit string
	tests  []string
	files  []file
}

type file struct {
	path string
	text string // of a new file
	cuts []cut  // of an existing one
}

type cut struct{ first, last, text string }

func parse(text string) (recipe, error) {
	var r recipe
	var into *string // where lines of text go
	for i, line := range strings.Split(text, "\n") {
		wrong := func(want string) (recipe, error) {
			return recipe{}, fmt.Errorf("line %d: %q isn't %s", i+1, line, want)
		}
		verb, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '|':
			if into == nil {
				return wrong("in a new file or a cut")
			}
			*into += line[1:] + "\n"
		case verb == "commit":
			r.commit = rest
		case verb == "test":
			r.tests = strings.Fields(rest)
		case verb == "new" || verb == "edit":
			if !filepath.IsLocal(rest) {
				return wrong("a path in the clone")
			}
			r.files = append(r.files, file{path: rest})
			into = nil
			if verb == "new" {
				into = &r.files[len(r.files)-1].text
			}
		case verb == "from" && rest != "" && len(r.files) > 0:
			f := &r.files[len(r.files)-1]
			f.cuts = append(f.cuts, cut{first: rest})
			into = &f.cuts[len(f.cuts)-1].text
		case verb == "to" && rest != "" && into != nil && len(r.files[len(r.files)-1].cuts) > 0:
			cuts := r.files[len(r.files)-1].cuts
			cuts[len(cuts)-1].last = rest
		default:
			return wrong("a known line")
		}
	}
	if r.commit == "" || len(r.tests) == 0 || len(r.files) == 0 {
		return recipe{}, fmt.Errorf("the recipe lacks its commit, its tests or its files")
	}
	return r, nil
}

// apply changes the files in a folder. It writes nothing unless every cut fits.
func (r recipe) apply(folder string) error {
	texts := make([]string, len(r.files))
	for i, f := range r.files {
		path := filepath.Join(folder, f.path)
		old, err := os.ReadFile(path)
		if len(f.cuts) == 0 {
			if err == nil {
				return fmt.Errorf("%s exists; apply the recipe to an unchanged clone", f.path)
			}
			texts[i] = f.text
			continue
		}
		if err != nil {
			return err
		}
		if texts[i], err = f.edit(string(old)); err != nil {
			return err
		}
	}
	for i, f := range r.files {
		if err := os.WriteFile(filepath.Join(folder, f.path), []byte(texts[i]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (f file) edit(old string) (string, error) {
	lines := strings.SplitAfter(old, "\n")
	var b strings.Builder
	for _, c := range f.cuts {
		first := index(lines, c.first)
		if first < 0 {
			return "", fmt.Errorf("%s has no further line that begins with %q; check out the recipe's commit", f.path, c.first)
		}
		last := first
		if c.last != "" {
			n := index(lines[first+1:], c.last)
			if n < 0 {
				return "", fmt.Errorf("%s has no line that begins with %q after %q; check out the recipe's commit", f.path, c.last, c.first)
			}
			last += 1 + n
		}
		b.WriteString(strings.Join(lines[:first], ""))
		b.WriteString(c.text)
		lines = lines[last+1:]
	}
	b.WriteString(strings.Join(lines, ""))
	return b.String(), nil
}

func index(lines []string, beginning string) int {
	for i, line := range lines {
		if strings.HasPrefix(line, beginning) {
			return i
		}
	}
	return -1
}
