package main

import (
	"github.com/spf13/cobra"

	"github.com/hailmark/hailmark/cmd/internal/table"
	"github.com/hailmark/hailmark/qrcode/qrprint"
)

func (a *app) newCompletion() *cobra.Command {
	return &cobra.Command{
		Use:   "completion <shell>",
		Short: "Print a completion script for bash, zsh, fish or powershell",
		Long: `The script completes commands, flags and values. To load it, run one of these commands:

  bash        source <(hailmark completion bash)
  zsh         hailmark completion zsh > "${fpath[1]}/_hailmark"
  fish        hailmark completion fish > ~/.config/fish/completions/hailmark.fish
  powershell  hailmark completion powershell | Out-String | Invoke-Expression`,
		GroupID:   "tool",
		Example:   "  hailmark completion bash",
		Args:      cobra.ExactArgs(1),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.stdout)
			case "fish":
				return root.GenFishCompletion(a.stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.stdout)
			default:
				return usage("unknown shell %q; known are bash, zsh, fish and powershell", args[0])
			}
		},
	}
}

// completeFlags adds completions for flag values.
func completeFlags(cmd *cobra.Command) {
	for name, values := range map[string][]string{
		"encoding": table.Encodings(),
		"format":   {"pdf", "eps", "svg", "png"},
		"labels":   qrprint.LabelNames(),
		"level":    settingOf("level").Values,
		"paper":    {qrprint.A4.String(), qrprint.A5.String(), qrprint.Letter.String()},
	} {
		directive := cobra.ShellCompDirectiveNoFileComp
		if name == "labels" { // or the name of a file
			directive = cobra.ShellCompDirectiveDefault
		}
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, directive))
		}
	}
}
