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

// withColumns completes a table's configuration.
func withColumns(c table.Config) table.Config {
	c.Columns, c.Aliases, c.Headerless = columns, aliases, headerless
	return c
}

// headerless returns the column that two cells are values of. A plain word such as kunden may be the
// name of a column although it's a valid username, so it isn't taken for one.
func headerless(first, second string) string {
	kind := kindOf(first)
	if kind != kindOf(second) || kind == columns[columnUsername] && !strings.ContainsAny(first, "@._0123456789") {
		return ""
	}
	return kind
}

// kindOf returns the column that a cell is a value of, or "".
func kindOf(cell string) string {
	if _, _, err := table.InspectPhone(cell); err == nil {
		return columns[columnPhone]
	}
	if _, err := busname.Parse(withoutAt(strings.TrimSpace(cell))); err == nil {
		return columns[columnUsername]
	}
	return ""
}

// withoutAt returns a username without the @ that people write before it.
func withoutAt(username string) string { return strings.TrimPrefix(username, "@") }
