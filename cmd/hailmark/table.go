package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/hailmark/hailmark/cmd/internal/table"
)

// pairs are the values of a repeatable flag that assigns names.
type pairs map[string]string

// String returns "", because pairs have no default.
func (p *pairs) String() string { return "" }

// Type implements [pflag.Value]. Each flag's help specifies a better name.
func (p *pairs) Type() string { return "name=value" }

// Set adds a pair. Values may contain any character.
func (p *pairs) Set(s string) error {
	name, value, found := strings.Cut(s, "=")
	switch _, twice := (*p)[name]; {
	case !found:
		return errors.New("it has no =, which is followed by the value")
	case twice:
		return fmt.Errorf("%s has a value already", name)
	case *p == nil:
		*p = pairs{}
	}
	(*p)[name] = value
	return nil
}

type tableOptions struct {
	encoding, separator string
	columns             pairs
	noHeader, ndjson    bool
}

func (o *tableOptions) addFlags(flags *pflag.FlagSet) {
	flags.Var(&o.columns, "column", "use this table column, by name or number, as `column=name`; may be repeated")
	flags.BoolVar(&o.noHeader, "no-header", false, "the first row is data; set the number of each column with --column")
	flags.StringVar(&o.encoding, "encoding", "", "table `encoding`: utf-8, utf-16 or windows-1252 (default: auto-detect)")
	flags.StringVar(&o.separator, "separator", "", "the `character` between cells, or \"tab\" (default: auto-detect)")
	flags.BoolVar(&o.ndjson, "ndjson", false, "the table is newline-delimited JSON (default for .ndjson and .jsonl)")
}

// check validates the flags for a table with these columns.
func (o *tableOptions) check(columns []string) error {
	for name := range o.columns {
		known := false
		for _, column := range columns {
			known = known || name == column
		}
		if !known {
			return usage("--column %s: unknown column; known are %s", name, strings.Join(columns, ", "))
		}
	}
	if len(o.separator) > 1 && o.separator != "tab" || strings.Trim(o.separator, "\"\r\n") != o.separator {
		return usage("--separator %q isn't one ASCII character other than a quote, or tab", o.separator)
	}
	if o.encoding != "" && !slices.Contains(table.Encodings(), strings.ToLower(o.encoding)) {
		return usage("--encoding %s: unknown encoding; known are %s", o.encoding, strings.Join(table.Encodings(), ", "))
	}
	return nil
}

func (o *tableOptions) config(file string) table.Config {
	c := table.Config{Map: o.columns, NoHeader: o.noHeader, Encoding: o.encoding, JSON: o.ndjson}
	for _, ending := range []string{".ndjson", ".jsonl"} {
		c.JSON = c.JSON || strings.HasSuffix(strings.ToLower(file), ending)
	}
	switch {
	case o.separator == "tab":
		c.Separator = '\t'
	case o.separator != "":
		c.Separator = rune(o.separator[0])
	}
	return c
}
