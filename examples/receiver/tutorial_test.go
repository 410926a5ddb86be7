package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The commands of docs/tutorial.md print what stands under them, but for the random IDs of people.
func TestTutorial(t *testing.T) {
	page, err := os.ReadFile("../../docs/tutorial.md")
	require.NoError(t, err)
	b := newInbox(t, filepath.Join(t.TempDir(), "people.db"))
	server := httptest.NewServer(newHandler(t, b))
	t.Cleanup(server.Close)
	var printed, expected strings.Builder
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		for line := range strings.Lines(block[1]) {
			command, isCommand := strings.CutPrefix(strings.TrimSpace(line), "$ ")
			switch payload, isPost := strings.CutPrefix(command, "post '"); {
			case !isCommand:
				expected.WriteString(line)
			case isPost:
				require.True(t, post([]byte(strings.TrimSuffix(payload, "'")), server.URL), command)
				printed.WriteString("200\n")
			default:
				require.Equal(t, "./receiver -db people.db -contacts", command)
				require.NoError(t, b.contacts(t.Context(), &printed))
			}
		}
	}
	require.NotEmpty(t, expected.String())
	require.Equal(t, numberIDs(expected.String()), numberIDs(printed.String()))
}

// numberIDs replaces each person's ID by the order of its first appearance.
func numberIDs(text string) string {
	order := map[string]string{}
	return regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`).ReplaceAllStringFunc(text, func(id string) string {
		if order[id] == "" {
			order[id] = "person " + strconv.Itoa(len(order)+1)
		}
		return order[id]
	})
}
