package main

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/hailmark/hailmark/cmd/internal/table"
)

// tableOptions are the flags of commands that read a table.
type tableOptions struct {
	encoding, separator string
	columns             map[string]string
	noHeader, ndjson    bool
}

func (o *tableOptions) addFlags(flags *pflag.FlagSet) {
	flags.StringToStringVar(&o.columns, "column", nil, "the name or number that a column has in the table, as `column=name`; may be repeated")
	flags.BoolVar(&o.noHeader, "no-header", false, "the first row of the table is data; give each column a number with --column")
	flags.StringVar(&o.encoding, "encoding", "", "the `encoding` of the table: utf-8, utf-16 or windows-1252 (default: recognized)")
	flags.StringVar(&o.separator, "separator", "", "the `character` between the cells of the table, or \"tab\" (default: recognized)")
	flags.BoolVar(&o.ndjson, "ndjson", false, "the table is JSON with one object a line (default for files named .ndjson and .jsonl)")
}

// check returns what is wrong with the flags, for a table with these columns.
func (o *tableOptions) check(columns []string) error {
	for name := range o.columns {
		known := false
		for _, column := range columns {
			known = known || name == column
		}
		if !known {
			return usage("--column %s=…: the columns are %s", name, strings.Join(columns, ", "))
		}
	}
	if len(o.separator) > 1 && o.separator != "tab" {
		return usage("--separator must be one ASCII character, or tab")
	}
	return nil
}

// config returns how to read a file.
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
