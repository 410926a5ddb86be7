// Package phone parses phone numbers.
//
//	n, err := phone.Parse("+49 171 1234567")
//	fmt.Println(n, n.CountryName()) // 491711234567 Germany
//
// [Parse] is for numbers that people write. It requires a + or 00 and the country code, because
// a national number can be somebody else's in another country. If you know the country, use
// [ParseIn], which also reads national numbers:
//
//	n, err := phone.ParseIn("0171 1234567", "DE") // 491711234567
//
// [ParseDigits] is for numbers that are known to begin with the country code, as in links and
// webhooks. [Inspect] is like it, but also warns if a number looks wrong.
//
// Some numbers in Argentina, Benin, Brazil, Côte d’Ivoire and Mexico have two forms, and a webhook may
// contain another one than a person wrote. [Number.Same] compares numbers, and [Number.Forms] lists the forms.
//
// # Grammar
//
// A number consists of 8 to 15 digits, beginning with the country code, or of 7 in a few small
// countries. They are decimal digits of one script, such as 0 to 9 or ٠ to ٩. A + or 00 may precede
// them.
// Every Unicode punctuation, symbol or format character before and after the number is dropped,
// and so is white space. Between the digits,
//
//   - spaces, hyphens, dashes, periods, parentheses and characters that are drawn as nothing, such as
//     direction marks, are dropped.
//   - other symbols, as in "+1/650/5551234", are dropped if the number is then possible, and
//     rejected if they may separate two numbers, as in "+376 312 345/346".
//   - a second +, a tab or a line break is rejected.
//
// What follows a number never adds a digit to it: the ".0" of a spreadsheet and the "(2)" of an address
// book are rejected, with the number in front as a suggestion. So is a 0 after the country code if no
// number of the country has one.
//
// The characters , ; # and * are rejected everywhere, because they extend a dial string, and so
// are letters.
//
// Nothing is looked up, so a valid number may not exist.
package phone
