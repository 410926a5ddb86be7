package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hailmark/hailmark/cmd/hailmark/internal/progress"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/lives"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest/simulate"
)

const simulateHelp = `Simulated people write to your receiver, hide, change and pass on their phone numbers, react to,
edit and delete messages, and share old ones. The command posts the webhooks as the platform does,
signed with --secret, and serves a stand-in for the Graph API, to which your receiver sends its
replies. Set the base URL of its Graph API client to the stand-in's, http://localhost:8085. If that's
fixed, use --proxy and --ca-file. All people and numbers are invented, and nothing leaves your machine.

It then prints what to fix first and the mistakes: webhooks at which the receiver crashed or that it
rejected, replies that are missing, doubled, or went to somebody else, those to messages that expect
none, and whether the receiver accepts a webhook with a wrong signature. With --ask, it also checks that
each person is one contact: it posts {"message":"<id>"} to the URL and expects {"contact":"<your own ID>"}.

The command waits until your receiver accepts connections, also after a crash. Start it with an empty
database. By default, fifteen short lives take a few seconds; --people simulates a world of people who
live for --years years.

The exit status is 0 without mistakes, 1 with mistakes, and 2 if something couldn't be tested; the
mistakes until then are printed nevertheless.`

// A simulateOptions contains the flags of simulate.
type simulateOptions struct {
	webhook, secret, ask string
	graph, proxy, caFile string
	seed                 uint64
	people, years        int
	conditions           lives.Conditions
	start                time.Duration
	wait                 time.Duration
	testNumber           bool
}

func (a *app) newSimulate() *cobra.Command {
	var o simulateOptions
	cmd := &cobra.Command{
		Use:        "simulate --webhook <url> [flags]",
		SuggestFor: []string{"rehearse", "test", "simulator"},
		Short:      "Test a webhook receiver in any language with simulated people",
		Long:       simulateHelp,
		GroupID:    "webhooks",
		Example: `  hailmark simulate --webhook http://localhost:3000/webhook --secret "$APP_SECRET"
  hailmark simulate --webhook http://localhost:3000/webhook --secret "$APP_SECRET" --ask http://localhost:3000/contact-of
  hailmark simulate --webhook http://localhost:3000/webhook --people 500 --years 3 --shuffle 0.2`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			mistakes, err := a.simulate(&o)
			switch {
			case err != nil:
				a.report("", err)
				a.status = statusUsage
			case mistakes:
				a.bad = true
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.webhook, "webhook", "", "post webhooks to this `url` of the receiver")
	flags.StringVar(&o.secret, "secret", "", "sign webhooks with this app `secret`")
	flags.StringVar(&o.ask, "ask", "", "ask the receiver at this `url` for a message's contact")
	flags.StringVar(&o.graph, "graph", "127.0.0.1:8085", "serve the stand-in for the Graph API at this `address`")
	flags.StringVar(&o.proxy, "proxy", "", "serve an HTTPS proxy for graph.facebook.com at this `address`")
	flags.StringVar(&o.caFile, "ca-file", "", "write the certificate of the proxy's authority to this `file`")
	flags.Uint64Var(&o.seed, "seed", 0, "simulate other people")
	flags.IntVar(&o.people, "people", 0, "simulate a world of this many people instead of fifteen lives")
	flags.IntVar(&o.years, "years", 2, "with --people: how many years they live")
	flags.Float64Var(&o.conditions.Shuffle, "shuffle", 0, "`share` of events that are up to seven days late, from 0 to 1; half as many share webhooks")
	flags.Float64Var(&o.conditions.Lose, "lose", 0, "`share` of events that are never delivered, from 0 to 1")
	flags.Float64Var(&o.conditions.Repeat, "repeat", 0.2, "`share` of webhooks that are delivered twice, from 0 to 1")
	flags.DurationVar(&o.start, "start-timeout", 10*time.Second, "how long to wait until the receiver accepts connections, at first and after a crash")
	flags.DurationVar(&o.wait, "wait", time.Second, "how long to wait for the first reply")
	flags.BoolVar(&o.testNumber, "test-number", false, "refuse recipients as a test number's allow list does (error 131030)")
	flags.BoolVar(&a.json, "json", false, "print JSON")
	return cmd
}

// check checks the flags.
func (o *simulateOptions) check(cmd *cobra.Command) error {
	for _, flag := range []struct{ name, value string }{{"webhook", o.webhook}, {"ask", o.ask}} {
		u, err := url.Parse(flag.value)
		switch {
		case flag.value == "" && flag.name == "webhook":
			return usage("--webhook is required: the URL at which your receiver gets webhooks")
		case flag.value != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == ""):
			return usage("--%s isn't a URL that begins with http:// or https://", flag.name)
		}
	}
	for name, share := range map[string]float64{"shuffle": o.conditions.Shuffle, "lose": o.conditions.Lose, "repeat": o.conditions.Repeat} {
		if !(share >= 0 && share <= 1) {
			return usage("--%s is %v; 0 to 1 is allowed", name, share)
		}
	}
	switch {
	case (o.proxy == "") != (o.caFile == ""):
		return usage("--proxy and --ca-file go together: the receiver must trust the proxy's certificate authority")
	case o.people < 0 || o.people > 1_000_000:
		return usage("--people is %d; 1 to 1000000 is allowed", o.people)
	case o.years < 1 || o.years > 20:
		return usage("--years is %d; 1 to 20 is allowed", o.years)
	case o.people == 0 && cmd.Flags().Changed("years"):
		return usage("--years needs --people, because the fifteen lives have a fixed length")
	case o.wait <= 0:
		return usage("--wait is %v; it must be positive", o.wait)
	}
	return nil
}

func (o *simulateOptions) story() lives.Story {
	if o.people == 0 {
		return lives.Scenarios(o.seed, o.conditions, nil)
	}
	w := lives.NewWorld(o.seed, o.people, time.Duration(o.years)*365*24*time.Hour)
	w.Duplicate, w.Delay, w.Batch, w.Loss = o.conditions.Repeat, o.conditions.Shuffle, o.conditions.Shuffle/2, o.conditions.Lose
	return w.Story(nil)
}

// simulate rehearses the receiver, and reports whether it made mistakes.
func (a *app) simulate(o *simulateOptions) (mistakes bool, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	line := progress.New(a.stderr, a.isTerminal(a.stderr))
	stage := simulate.NewStage(simulate.Rehearsal{
		Story: o.story(), Webhook: o.webhook, Secret: o.secret, Ask: o.ask, Start: o.start, Wait: o.wait, TestNumber: o.testNumber,
		Progress: func(n int) { line.Update(func() string { return plural(n, "webhook") }) },
		Crashed: func(n int) {
			line.Clear()
			fmt.Fprintf(a.stderr, "The receiver stopped at webhook %d. Start it again; the command waits for up to %v (--start-timeout).\n", n, o.start)
		},
	})
	graph, err := listen(o.graph, stage.Graph())
	if err != nil {
		return false, err
	}
	defer func() { _ = graph.Close() }()
	fmt.Fprintf(a.stderr, "The stand-in for the Graph API is at http://%s.\n", graph.Addr)
	if o.proxy != "" {
		handler, err := simulate.NewProxy(o.caFile, stage.Graph())
		if err != nil {
			return false, err
		}
		proxy, err := listen(o.proxy, handler)
		if err != nil {
			return false, err
		}
		defer func() { _ = proxy.Close() }()
		fmt.Fprintf(a.stderr, "Start the receiver with HTTPS_PROXY=http://%s, and let it trust %s.\n", proxy.Addr, o.caFile)
	}
	result, err := stage.Run(ctx)
	line.Clear()
	if result.Webhooks > 0 {
		err = cmp.Or(err, a.printSimulation(&result))
	}
	return len(result.Mistakes) > 0, err
}

// listen serves a handler at an address until the server is closed. Its Addr is the actual address.
func listen(addr string, handler http.Handler) (*http.Server, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	server := &http.Server{Addr: listener.Addr().String(), Handler: handler, ReadHeaderTimeout: 30 * time.Second}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintf(os.Stderr, "hailmark: %v\n", err)
		}
	}()
	return server, nil
}

// printSimulation prints what to fix first and the mistakes, up to five of a kind, or all as JSON.
func (a *app) printSimulation(r *simulate.Result) error {
	if a.json {
		return writeJSON(a.stdout, r)
	}
	const mostCauses, most = 3, 5
	if len(r.Causes) > 0 {
		fmt.Fprintln(a.stdout, "Fix first:")
	}
	for i, c := range r.Causes[:min(mostCauses, len(r.Causes))] {
		fmt.Fprintf(a.stdout, "%d. %s; see webhook %d\n   %s\n", i+1, c.Text, c.Webhook, c.Advice)
	}
	if len(r.Causes) > 0 {
		fmt.Fprintln(a.stdout)
	}
	total := map[lives.Mistake]int{}
	for _, m := range r.Mistakes {
		if total[m.Mistake]++; total[m.Mistake] <= most {
			printMistake(a, &m)
		}
	}
	fmt.Fprintf(a.stdout, "%s with %s, %d replies: %s\n",
		plural(r.Webhooks, "webhook"), plural(r.Messages, "message"), r.Replies, plural(len(r.Mistakes), "mistake"))
	for _, m := range r.Kinds() {
		fmt.Fprintf(a.stdout, "  %d %s\n", total[m], m)
	}
	return nil
}

func printMistake(a *app, m *simulate.Mistake) {
	if m.Life != "" {
		fmt.Fprintf(a.stdout, "%s (%s)\n", m.Text, m.Life)
	} else {
		fmt.Fprintln(a.stdout, m.Text)
	}
	for _, message := range m.Messages {
		if message.Payload != "" {
			fmt.Fprintf(a.stdout, "  webhook %d: %s\n", message.Webhook, message.Payload)
		}
	}
}
