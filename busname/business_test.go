package busname_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/busname"
)

func TestValidateBusinessAddsOneProblemToValidate(t *testing.T) {
	for name, position := range map[string]int{"wwwjane": 0, "WWW": 1, "wwwjane..com": 1, "wwwjane.com": 0} {
		list, added := busname.Validate(name), busname.ValidateBusiness(name)
		require.Equal(t, busname.CodeLeadingWWW, added[position].Code, name)
		require.Equal(t, list.Codes(), slices.Delete(added, position, position+1).Codes(), name)
	}
	for _, name := range []string{"jane", "www.jane", "WWW.Jane.COM", "wwxjane", "ww", "..", ""} {
		require.Equal(t, busname.Validate(name), busname.ValidateBusiness(name), name)
	}
}

// Each rule is reported alone for some name, and in the order of the table for a name that breaks many.
func TestRules(t *testing.T) {
	alone := map[string]string{
		"jo": "username_length", "jané": "username_invalid_chars", "123": "username_no_letter", ".jane": "username_edge_period",
		"jane..doe": "username_double_period", "www.jane": "username_starts_with_www", "jane.com": "username_reserved_suffix",
	}
	reported := map[string]bool{}
	for name, code := range alone {
		list := busname.Validate(name)
		require.Len(t, list, 1, name)
		require.Equal(t, code, string(list[0].Code), name)
		reported[code] = true
	}
	var order []string
	for _, rule := range busname.Rules() {
		require.True(t, reported[string(rule.Code)], "add a name that breaks only %s", rule.Code)
		require.Regexp(t, `^(has|contains|doesn't) `, rule.Sentence)
		order = append(order, string(rule.Code))
	}
	codes := busname.Validate("www.Jane..this.is.much.too.long.for.a.name.com")
	for i := range codes[1:] {
		require.Less(t, slices.Index(order, string(codes[i].Code)), slices.Index(order, string(codes[i+1].Code)))
	}
}

func ExampleValidateBusiness() {
	for _, p := range busname.ValidateBusiness("wwwjane") {
		fmt.Println(p)
	}
	// Output:
	// username begins with www, which isn't allowed for a business
}

func ExampleRules() {
	for _, rule := range busname.Rules()[:3] {
		fmt.Println("A username", rule.Sentence)
	}
	// Output:
	// A username has 3 to 35 characters
	// A username contains only lowercase a-z, digits, periods and underscores
	// A username contains a letter
}
