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
	columnText
	columnFile
	columnColor
	columnBackground
	columnCaption
)

var columns = []string{"username", "phone", "text", "file", "color", "background", "caption"}

// Columns returns the supported columns.
func Columns() []string { return slices.Clone(columns) }

// aliases are the names that people's tables have for columns, in the languages of the countries with
// the most users. Names that may mean something else, such as name or contact, are missing.
var aliases = map[string][]string{
	"username": {
		"handle", "user", "user name", "WhatsApp name", "WhatsApp username", "WhatsApp handle",
		"Benutzername", "Nutzername", "usuario", "nombre de usuario", "usuário", "nome de usuário", "nome utente", "nom d'utilisateur",
	},
	"phone": {
		"phone number", "phone no", "telephone", "telephone number", "tel", "tel no", "mobile", "mobile number", "mobile no",
		"mobile phone", "cell", "cell phone", "cell number", "WhatsApp number", "WhatsApp phone",
		"Telefon", "Telefonnummer", "Tel.-Nr.", "Handy", "Handynummer", "Mobil", "Mobilnummer", "Mobiltelefon", "Rufnummer",
		"teléfono", "telefono", "número de teléfono", "móvil", "celular", "telefone", "número de telefone",
		"téléphone", "numéro de téléphone", "portable", "cellulare", "numero di telefono", "nomor telepon", "nomor HP", "no HP",
	},
	"text": {"message", "Nachricht", "mensaje", "mensagem", "messaggio", "pesan"},
}

// tableConfig returns the configuration of the table with all columns.
func (c *Config) tableConfig() table.Config {
	t := c.Table
	t.Columns, t.Aliases, t.Headerless = columns, aliases, c.headerless
	return t
}

// headerless returns the column that two cells are values of. A word such as kunden, first_name or Column1
// may be the name of a column although it's a valid username, so it isn't taken for one.
func (c *Config) headerless(first, second string) string {
	kind := c.kindOf(first)
	if kind != c.kindOf(second) || kind == columns[columnUsername] && !strings.ContainsAny(first, "@.") {
		return ""
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
