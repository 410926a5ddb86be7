package webhooknorm_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm"
)

// Each member of a stored event is about a person, as the page about deletion says, or isn't.
func TestPersonalMembers(t *testing.T) {
	page, err := os.ReadFile("../docs/identity.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "### Where a person is in a stored event\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\nThe other members")
	members := strings.Fields("kind field standby type state accountId timestamp phoneNumberId businessPhone") // about nobody
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(table, -1) {
		for _, name := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(row[1], -1) {
			members = append(members, name[1])
		}
	}
	require.ElementsMatch(t, members, jsonMembers(reflect.TypeFor[webhooknorm.Event]()))
}

// jsonMembers returns the names of a struct's JSON members.
func jsonMembers(of reflect.Type) (names []string) {
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			names = append(names, jsonMembers(field.Type)...)
		} else {
			names = append(names, name)
		}
	}
	return names
}
