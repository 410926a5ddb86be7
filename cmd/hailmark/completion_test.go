package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

func TestCompletionValues(t *testing.T) {
	for args, want := range map[string]string{
		"va":                       "validate\t",
		"validate ":                "business-username\n",
		"completion ":              "powershell\n",
		"sheet --labels avery-5":   "avery-5160\n",
		"sheet --level ":           "L\nM\nQ\nH\n:4\n",
		"poster --paper ":          "a4\na5\nletter\n:4\n",
		"poster --ten":             "--tent\t",
		"batch --format ":          "pdf\neps\nsvg\npng\n:4\n",
		"check --encoding windows": "windows-1252\n",
		"people --conta":           "--contacts\t",
		"validate username x":      ":4\n",
	} {
		_, stdout, _ := runTool(t, "", append([]string{"__complete"}, strings.Split(args, " ")...)...)
		require.Contains(t, stdout, want, args)
	}
}

// Each shell loads its script and completes an argument, a flag and a flag value. For zsh, the
// test provides a terminal, because completion doesn't work otherwise.
func TestCompletionInShells(t *testing.T) {
	for _, tt := range []struct{ shell, source, script, want string }{
		{"bash", "Debian packages bash and bash-completion", `
			source /usr/share/bash-completion/bash_completion
			source ./script
			complete_line() {
				COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
				COMP_POINT=${#COMP_LINE}
				__start_hailmark 2>/dev/null # compopt fails outside of a completion
				echo "${COMPREPLY[@]}"
			}
			complete_line hailmark validate use
			complete_line hailmark validate username --js
			complete_line hailmark poster jane.doe --paper let
		`, "username\n--json\nletter\n"},
		{"fish", "Debian package fish", `
			source ./script
			complete -C "hailmark validate use"
			complete -C "hailmark validate username --js" | cut -f 1
			complete -C "hailmark poster jane.doe --paper let"
		`, "username\n--json\nletter\n"},
		{"zsh", "Debian package zsh", `
			zmodload zsh/zpty
			zpty shell zsh -f -i
			zpty -w shell 'autoload -Uz compinit; compinit -u -D; source ./script'
			zpty -w shell $'hailmark validate use\t jane.doe --js\t >out; hailmark poster jane.doe --paper let\t -o poster.svg; print -r -- en''d'
			while zpty -r shell line; do [[ $line == end* ]] && break; done
			grep -o '"kind":"username"' out
			grep -o 'width="215.9mm"' poster.svg
		`, `"kind":"username"` + "\n" + `width="215.9mm"` + "\n"},
	} {
		t.Run(tt.shell, func(t *testing.T) {
			shell := testenv.Needs(t, tt.shell, tt.source)
			if tt.shell == "bash" {
				if _, err := os.Stat("/usr/share/bash-completion/bash_completion"); err != nil {
					testenv.Missing(t, "bash-completion", tt.source)
				}
			}
			self, err := os.Executable()
			require.NoError(t, err)
			dir := t.TempDir()
			require.NoError(t, os.Symlink(self, filepath.Join(dir, "hailmark")))
			_, script, _ := runTool(t, "", "completion", tt.shell)
			write(t, dir, "script", script)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, shell, write(t, dir, "test", tt.script))
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "HOME="+dir, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "HAILMARK_TEST_RUN_MAIN=1")
			cmd.WaitDelay = time.Second
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Equal(t, tt.want, string(out))
		})
	}
	_, script, _ := runTool(t, "", "completion", "powershell") // not run, because Debian doesn't include PowerShell
	require.Contains(t, script, "Register-ArgumentCompleter -CommandName 'hailmark'")
}
