package main

import (
	"flag"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/cmd/internal/mcp"
	"github.com/hailmark/hailmark/internal/check/vectors"
)

var update = flag.Bool("update", false, "write the commands into vectors/names.json")

// vectors/names.json contains the commands with their flags, and the tools of the MCP server. More of
// them is a decision, so the numbers are here.
//
//	go test ./cmd/hailmark -run TestNames -update
func TestNames(t *testing.T) {
	commands, flags := map[string][]string{}, 0
	eachCommand(new(app).newRoot(), func(c *cobra.Command) {
		commands[c.CommandPath()] = []string{}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			commands[c.CommandPath()] = append(commands[c.CommandPath()], f.Name)
			flags++
		})
	})
	require.Len(t, commands, 14, "change this number if another command is wanted")
	require.Equal(t, 156, flags, "change this number if another flag is wanted")

	inside, outside := sdk.NewInMemoryTransports()
	server, err := mcp.NewServer().Connect(t.Context(), inside, nil)
	require.NoError(t, err)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), outside, nil)
	require.NoError(t, err)
	var tools []string
	for tool, err := range session.Tools(t.Context(), nil) {
		require.NoError(t, err)
		tools = append(tools, tool.Name)
	}
	require.NoError(t, session.Close())
	require.NoError(t, server.Wait())
	require.Len(t, tools, 5, "change this number if another tool is wanted")

	stale, err := vectors.StaleNames(map[string]any{"commands": commands, "tools": tools}, *update)
	require.NoError(t, err)
	require.Empty(t, stale, "vectors/%s: run this test with -update to correct these lists", vectors.NamesFile)
}
