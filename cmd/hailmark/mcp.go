package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hailmark/hailmark/cmd/internal/mcp"
)

const mcpHelp = `The server uses the Model Context Protocol over standard input and output, or over streamable
HTTP with --http. It provides these tools:

  create_link           a link that opens a chat
  create_qr_code        the QR code of a chat or link, as PNG or SVG
  explain_link          where a WhatsApp link leads
  validate_identifier   a username, phone number or BSUID
  explain_webhook       the events of a webhook, and where to reply

They don't use the network or files, and log nothing. For Claude Desktop or Cursor, add this to
claude_desktop_config.json or .cursor/mcp.json:

  {"mcpServers": {"hailmark": {"command": "hailmark", "args": ["mcp"]}}}

For VS Code, add this to .vscode/mcp.json:

  {"servers": {"hailmark": {"command": "hailmark", "args": ["mcp"]}}}

With --http, the server has no authentication. It accepts requests only to localhost or an IP
address, and none from web pages, so that no website can use it.`

func (a *app) newMCP() *cobra.Command {
	var address string
	cmd := &cobra.Command{
		Use:     "mcp",
		Short:   "Provide links, QR codes and webhooks to AI assistants (MCP)",
		Long:    mcpHelp,
		GroupID: "service",
		Example: "  hailmark mcp\n  hailmark mcp --http :8765",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			if address == "" {
				return mcp.ServeStdio(ctx, a.stdin, a.stdout)
			}
			listener, err := mcp.Listen(address)
			if err != nil {
				return fmt.Errorf("--http: %w", err)
			}
			fmt.Fprintf(a.stderr, "hailmark: listening on http://%s/mcp\n", listener.Addr())
			return mcp.Serve(ctx, listener)
		},
	}
	cmd.Flags().StringVar(&address, "http", "", "serve HTTP at /mcp on this `address`; without a host, it's localhost")
	return cmd
}
