package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/hailmark/hailmark/cmd/internal/ndjson"
	"github.com/hailmark/hailmark/httpapi/wire"
	"github.com/hailmark/hailmark/webhooknorm"
)

const normalizeHelp = `The input contains one Cloud API webhook, or one per line. The output is newline-delimited JSON
with the person of each event. Events are printed as soon as their webhook is read, so the
input may be a growing log.

An event has the members that POST /api/v1/business/webhook/read returns, for example its text,
a key that repetitions share, where to reply, and a change of the person's IDs.

With --all, the output contains every kind of event. Whatever isn't about a person, such as a
template's rejection, comes after them, as {"other":{...}}.

An invalid webhook is reported with its line number and skipped; the exit status is then 1.`

func (a *app) newNormalize() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:        "normalize [file]",
		SuggestFor: []string{"webhook", "webhooks", "events"},
		Short:      "Show the messages and statuses in webhooks, and who they're from",
		Long:       normalizeHelp,
		GroupID:    "webhooks",
		Example: `  hailmark normalize < webhook.json
  hailmark normalize --all webhooks.ndjson`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.normalize(fileArg(args), all) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "show everything: every kind of event, and changes that aren't about a person")
	return cmd
}

func (a *app) normalize(file string, all bool) error {
	f, err := a.files.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := wholeWebhook(f)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(a.stdout)
	for lines := ndjson.NewReader(text); ; {
		line, number, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			return out.Flush()
		case err != nil && !errors.Is(err, ndjson.ErrLongLine):
			return err
		case err == nil:
			err = printEvents(out, line, all)
		}
		if !lines.Buffered() || err != nil {
			if err := out.Flush(); err != nil {
				return err
			}
		}
		if err != nil {
			a.report(fmt.Sprintf("line %d", number), err)
			a.bad = true
		}
	}
}

// wholeWebhook returns the input with one webhook per line. If the input is a single JSON
// value on several lines, it becomes one line.
func wholeWebhook(in io.Reader) (io.Reader, error) {
	start := bufio.NewReaderSize(io.LimitReader(in, ndjson.MaxLine), 64<<10)
	var whole []byte // includes empty lines, because they're numbered
	line, err := start.ReadBytes('\n')
	line = bytes.TrimPrefix(line, []byte("\ufeff")) // json.Valid rejects a byte order mark
	for err == nil && len(bytes.TrimSpace(line)) == 0 {
		whole = append(whole, line...)
		line, err = start.ReadBytes('\n')
	}
	whole = append(whole, line...)
	if err != nil || json.Valid(line) {
		return io.MultiReader(bytes.NewReader(whole), start, in), ignoreEOF(err)
	}
	rest, err := io.ReadAll(start)
	whole = append(whole, rest...)
	if err != nil || !json.Valid(whole) {
		return io.MultiReader(bytes.NewReader(whole), in), err
	}
	var compact bytes.Buffer
	err = json.Compact(&compact, whole)
	return io.MultiReader(&compact, in), err
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// printEvents prints what the HTTP API returns about a webhook, one event on a line.
func printEvents(w io.Writer, payload []byte, all bool) error {
	var webhook webhooknorm.Webhook
	var err error
	if all {
		webhook, err = webhooknorm.Read(payload)
	} else {
		webhook.Events, err = webhooknorm.Normalize(payload)
	}
	if err != nil {
		return err
	}
	var line []byte
	for i := range webhook.Events {
		line = append(wire.AppendEvent(line[:0], &webhook.Events[i]), '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	for i := range webhook.Others {
		line = append(wire.AppendOther(append(line[:0], `{"other":`...), &webhook.Others[i]), "}\n"...)
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}
