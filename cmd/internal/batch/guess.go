package batch

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/cmd/internal/table"
)

// Limits of what [Rows] returns.
const (
	maxTableColumns = 50
	maxTableRows    = 100
)

// Rows returns a table's first rows as they are, without their meaning, so that somebody can say
// which column is which.
func Rows(input []byte, n int) ([][]string, error) {
	config := table.Config{NoHeader: true, Map: map[string]string{}}
	for i := range maxTableColumns {
		name := strconv.Itoa(i + 1)
		config.Columns, config.Map[name] = append(config.Columns, name), name
	}
	t, err := table.NewCSVReader(bytes.NewReader(input), config)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	width := 0
	for len(rows) < min(n, maxTableRows) {
		row, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if row.Err != nil {
			continue // it's reported when the row is drawn
		}
		for i, cell := range row.Values {
			if cell != "" {
				width = max(width, i+1)
			}
		}
		rows = append(rows, row.Values)
	}
	for i := range rows {
		rows[i] = rows[i][:width]
	}
	return rows, nil
}

// A Guess is what a table's columns probably are.
type Guess struct {
	Columns  map[string]int // the position of each known column, from 1
	NoHeader bool           // the first row is a person
	Certain  bool           // the table names a column exactly as [Columns] does
}

// GuessColumns guesses a table's columns from their names, and those for usernames and phone
// numbers also from the first rows. Somebody should confirm it unless it's certain.
func GuessColumns(input []byte, country string) (Guess, error) {
	g := Guess{Columns: make(map[string]int)}
	rows, err := Rows(input, maxTableRows)
	if err != nil || len(rows) == 0 {
		return g, err
	}
	c := Config{Country: country}
	if t, err := table.NewCSVReader(bytes.NewReader(input), c.tableConfig()); err == nil && !t.IsHeaderless() {
		for _, column := range columns {
			if i := t.Position(column); i >= 0 {
				g.Columns[column] = i + 1
			}
		}
	}
	first, body := rows[0], rows[1:]
	if len(body) == 0 {
		body = rows
	}
	isPhone := func(cell string) bool { return c.kindOf(cell) == columns[columnPhone] }
	isName := func(cell string) bool { return isUsername(cell) && strings.ContainsAny(cell, "@./") }
	if g.guessMixed(body, isPhone, isName) {
		name := strings.TrimSpace(first[g.Columns[columns[columnTarget]]-1])
		g.Certain = strings.EqualFold(name, columns[columnTarget])
		g.NoHeader = isPhone(name) || isName(name) && !strings.EqualFold(name, "@name")
		return g, nil
	}
	c.guess(&g, columns[columnPhone], body, isPhone)
	phone := g.Columns[columns[columnPhone]] - 1
	withoutPhone := slices.DeleteFunc(slices.Clone(body), func(row []string) bool { return phone >= 0 && strings.TrimSpace(row[phone]) != "" })
	c.guess(&g, columns[columnUsername], withoutPhone, isUsername)

	for _, column := range targetColumns {
		g.Certain = g.Certain || slices.ContainsFunc(first, func(cell string) bool { return strings.EqualFold(strings.TrimSpace(cell), columns[column]) })
	}
	g.NoHeader = !g.Certain && slices.ContainsFunc(first, func(cell string) bool {
		return isPhone(cell) || isName(cell)
	})
	return g, nil
}

// guessMixed finds the column that contains anything, and reports whether there is one: by its name,
// if it's filled with numbers, names or links, or by its cells, if it has both numbers and names. People
// write both under a name such as Phone.
func (g *Guess) guessMixed(rows [][]string, isPhone, isName func(cell string) bool) bool {
	target := columns[columnTarget]
	for i := range rows[0] {
		phones, names, filled := 0, 0, 0
		for _, row := range rows {
			switch cell := strings.TrimSpace(row[i]); {
			case cell == "":
				continue
			case isPhone(cell):
				phones++
			case isName(cell):
				names++
			}
			filled++
		}
		isNamed := g.Columns[target] == i+1
		isOther := slices.ContainsFunc(columns, func(column string) bool {
			return g.Columns[column] == i+1 && column != columns[columnPhone] && column != columns[columnUsername]
		})
		if 2*(phones+names) > filled && (isNamed || !isOther && phones > 0 && names > 0) {
			delete(g.Columns, columns[columnPhone])
			delete(g.Columns, columns[columnUsername])
			g.Columns[target] = i + 1
			return true
		}
	}
	delete(g.Columns, target) // a column such as Contact is for people's names
	return false
}

// guess sets an unknown column to the one in which most cells are good, unless less than a third are.
func (c *Config) guess(g *Guess, column string, rows [][]string, isGood func(cell string) bool) {
	if g.Columns[column] > 0 || len(rows) == 0 {
		return
	}
	best := 0
	for i := range rows[0] {
		if slices.ContainsFunc(columns, func(other string) bool { return g.Columns[other] == i+1 }) {
			continue
		}
		good, filled := 0, 0
		for _, row := range rows {
			if strings.TrimSpace(row[i]) != "" {
				filled++
			}
			if isGood(row[i]) {
				good++
			}
		}
		if good > best && 3*good >= filled {
			best, g.Columns[column] = good, i+1
		}
	}
}

// isUsername reports whether a cell contains a username as people write it, or a WhatsApp link. A word
// with capitals, such as Jane, is more likely somebody's name.
func isUsername(cell string) bool {
	cell = strings.TrimSpace(cell)
	parse := busname.Parse
	if strings.ContainsAny(cell, "@._0123456789") {
		parse = busname.ParseHandle
	}
	if _, err := parse(cell); err == nil {
		return true
	}
	_, err := chatlink.ParseLink(cell)
	return err == nil
}
