package batch

import (
	"slices"
	"strings"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/cmd/internal/table"
)

const (
	columnUsername = iota
	columnPhone
	columnTarget // any of them
	columnText
	columnFile
	columnColor
	columnBackground
	columnCaption
)

var columns = []string{"username", "phone", "target", "text", "file", "color", "background", "caption"}

// Columns returns the supported columns.
func Columns() []string { return slices.Clone(columns) }

// aliases are the names that people's tables have for columns, in the languages of the countries with
// the most users. Names that may mean something else, such as name, are missing. Those of target count
// only in a table without the columns username and phone, where a column such as Contact is for people.
var aliases = map[string][]string{
	"username": {
		"handle", "@handle", "@username", "user", "user name", "WhatsApp name", "WhatsApp username", "WhatsApp handle",
		"Benutzername", "Nutzername", "usuario", "nombre de usuario", "usuário", "nome de usuário", "nome utente", "nom d'utilisateur",
	},
	"phone": {
		"phone number", "phone no", "telephone", "telephone number", "tel", "tel no", "mobile", "mobile number", "mobile no",
		"mobile phone", "cell", "cell phone", "cell number", "WhatsApp number", "WhatsApp phone",
		"Telefon", "Telefonnummer", "Tel.-Nr.", "Handy", "Handynummer", "Mobil", "Mobilnummer", "Mobiltelefon", "Rufnummer",
		"teléfono", "telefono", "número de teléfono", "móvil", "celular", "telefone", "número de telefone",
		"téléphone", "numéro de téléphone", "portable", "cellulare", "numero di telefono", "nomor telepon", "nomor HP", "no HP",
	},
	"target": {
		"WhatsApp", "WhatsApp contact", "contact", "Kontakt", "contacto", "contato", "contatto", "kontak", "@name", "recipient", "Empfänger",
		"phone or username", "username or phone", "number or username", "username or number",
	},
	"text": {"message", "Nachricht", "mensaje", "mensagem", "messaggio", "pesan"},
}

// tableConfig returns the configuration of the table with all columns.
func (c *Config) tableConfig() table.Config {
	t := c.Table
	t.Columns, t.Aliases, t.Headerless = columns, aliases, c.headerless
	t.Unless = map[string][]string{columns[columnTarget]: {columns[columnUsername], columns[columnPhone]}}
	return t
}

// headerless returns the column that two cells are values of. A word such as kunden, first_name or Column1
// may be the name of a column although it's a valid username, so it isn't taken for one.
func (c *Config) headerless(first, second string) string {
	kind, other := c.kindOf(first), c.kindOf(second)
	switch {
	case kind == "", other == "", kind == columns[columnUsername] && !strings.ContainsAny(first, "@."):
		return ""
	case kind != other:
		return columns[columnTarget]
	}
	return kind
}

// kindOf returns the column that a cell is a value of, or "".
func (c *Config) kindOf(cell string) string {
	if _, _, err := table.InspectPhone(cell, c.Country); err == nil {
		return columns[columnPhone]
	}
	if _, err := busname.ParseHandle(strings.TrimSpace(cell)); err == nil {
		return columns[columnUsername]
	}
	return ""
}
