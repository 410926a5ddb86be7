package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hailmark/hailmark/cmd/internal/mcp"
)

const mcpHelp = `The server uses the Model Context Protocol over standard input and output. It provides these tools:

  create_link           a link that opens a chat
  create_qr_code        the QR code of a chat or link, as PNG or SVG
  explain_link          where a WhatsApp link leads
  validate_identifier   a username, phone number or BSUID
  explain_webhook       the events of a webhook, and where to reply

They don't use the network or files, and log nothing. For Claude Desktop or Cursor, add this to
claude_desktop_config.json or .cursor/mcp.json:

  {"mcpServers": {"hailmark": {"command": "hailmark", "args": ["mcp"]}}}

For VS Code, add this to .vscode/mcp.json:

  {"servers": {"hailmark": {"command": "hailmark", "args": ["mcp"]}}}`

func (a *app) newMCP() *cobra.Command {
	return &cobra.Command{
		Use:     "mcp",
		Short:   "Provide links, QR codes and webhooks to AI assistants (MCP)",
		Long:    mcpHelp,
		GroupID: "tool",
		Example: "  hailmark mcp",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return mcp.ServeStdio(ctx, a.stdin, a.stdout)
		},
	}
}
