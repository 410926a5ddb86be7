package main

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hailmark/hailmark/cmd/hailmark/internal/people"
	"github.com/hailmark/hailmark/cmd/hailmark/internal/progress"
	"github.com/hailmark/hailmark/contact/identity"
)

const peopleHelp = `The input is newline-delimited JSON: webhooks with --webhooks, otherwise facts as below, which
docs/identity-spec.md describes. The output contains one line per person with all identifiers, then
one per conflict.

  {"fact":"seen","at":1786000000,"bsuid":"US.1","phone":"16505551234","name":"Jane"}
  {"fact":"changed","at":1786000100,"previous":{"bsuid":"US.1"},"current":{"bsuid":"US.2"}}

With --contacts, the output also contains a plan for a table of contacts with the columns id,
phone, bsuid, username, name, created, portfolio and group. Only id and one of phone and bsuid
are required; username and name are ignored. The plan consists of these lines:

  {"plan":"merge",...}      contacts that are one person, and the facts that connect them
  {"plan":"ambiguous",...}  a contact that may belong to several people
  {"plan":"summary",...}    the number of each

With --csv, the output contains only the columns "old id" and "person" of contacts that aren't
ambiguous. A person's ID is that of the oldest contact. You should load the output into a
database rather than a spreadsheet, which would run some IDs as formulas.

Invalid lines are reported with their number and skipped; the exit status is then 1. A
million facts take less than 1 GiB of memory.`

type peopleOptions struct {
	source   people.Source
	contacts string
	csv      bool
	table    tableOptions
}

func (a *app) newPeople() *cobra.Command {
	var o peopleOptions
	cmd := &cobra.Command{
		Use:        "people [file]",
		SuggestFor: []string{"persons", "contacts"},
		Short:      "List the people in webhooks, and plan a contact migration",
		Long:       peopleHelp,
		GroupID:    "webhooks",
		Example: `  hailmark people --webhooks webhooks.ndjson
  hailmark people --webhooks --portfolio 106540352242922=shop webhooks.ndjson
  hailmark people < facts.ndjson
  hailmark people --contacts contacts.csv facts.ndjson
  hailmark people --contacts contacts.csv --csv facts.ndjson`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.people(o, fileArg(args)) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.source.Webhooks, "webhooks", false, "read webhooks instead of facts")
	flags.Var((*pairs)(&o.source.Portfolios), "portfolio", "the business portfolio of a phone number ID, as `phone-number-id=name`; may be repeated")
	flags.Var((*pairs)(&o.source.Groups), "group", "the group of linked portfolios of a phone number ID, as `phone-number-id=name`; may be repeated")
	flags.StringVar(&o.contacts, "contacts", "", "plan how the contacts of this `table` become people")
	flags.BoolVar(&o.csv, "csv", false, "print only the old and new IDs of contacts")
	o.table.addFlags(flags)
	return cmd
}

// fileArg returns the input file, which is standard input by default.
func fileArg(args []string) string {
	if len(args) == 0 {
		return "-"
	}
	return args[0]
}

func (a *app) people(o peopleOptions, file string) error {
	switch {
	case o.csv && o.contacts == "":
		return usage("--csv needs --contacts")
	case o.contacts == "-" && file == "-":
		return usage("--contacts and the facts are both standard input; one needs a file name")
	case !o.source.Webhooks && len(o.source.Portfolios)+len(o.source.Groups) > 0:
		return usage("--portfolio and --group need --webhooks; facts contain their own")
	}
	if err := o.table.check(people.Columns); err != nil {
		return err
	}
	if a.getenv("GOGC") == "" {
		debug.SetGCPercent(peopleGCPercent)
	}
	if a.getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(peopleMemory)
	}
	contacts, err := a.readContacts(o)
	if err != nil {
		return err
	}
	in, err := a.readFacts(o.source, file)
	if err != nil {
		return err
	}
	persons, conflicts := identity.Partition(in.Facts)
	out := bufio.NewWriter(a.stdout)
	if o.contacts == "" {
		if err := writePeople(out, persons, conflicts); err != nil {
			return err
		}
		return out.Flush()
	}
	plan := people.NewPlan(in.Facts, persons, contacts)
	if o.csv {
		return writeAssignments(a.stdout, plan.Persons)
	}
	if err := writePeople(out, persons, conflicts); err != nil {
		return err
	}
	if err := writePlan(out, &plan, len(contacts)); err != nil {
		return err
	}
	return out.Flush()
}

// The command keeps all facts in memory, so it collects garbage earlier than Go's default, and
// more often above peopleMemory.
const (
	peopleGCPercent = 25
	peopleMemory    = 850 << 20
)

func (a *app) readContacts(o peopleOptions) ([]people.Contact, error) {
	if o.contacts == "" {
		return nil, nil
	}
	f, err := a.files.Open(o.contacts)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	contacts, err := people.ReadContacts(f, o.table.config(o.contacts), o.source.Portfolio(), func(row int, err error) {
		a.report(fmt.Sprintf("%s: row %d", o.contacts, row), err)
		a.bad = true
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.contacts, err)
	}
	return contacts, nil
}

func (a *app) readFacts(source people.Source, file string) (*people.Input, error) {
	f, err := a.files.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	line := progress.New(a.stderr, a.isTerminal(a.stderr))
	defer line.Clear()
	text := io.Reader(f)
	if source.Webhooks {
		if text, err = wholeWebhook(f); err != nil {
			return nil, err
		}
	}
	in, err := people.Read(text, source, func(number int, err error) {
		line.Clear()
		a.report(fmt.Sprintf("line %d", number), err)
		a.bad = true
	}, func(in *people.Input) {
		line.Update(func() string { return fmt.Sprintf("%d facts, %d invalid lines", in.FactCount, in.Bad) })
	})
	if err != nil {
		return nil, err
	}
	if len(in.Unknown) > 0 {
		line.Clear()
		fmt.Fprintf(a.stderr, "hailmark: no --portfolio given for these phone number IDs, which share one unnamed portfolio: %s\n", strings.Join(in.Unknown, ", "))
	}
	return in, nil
}

func writePeople(w io.Writer, persons []identity.Person, conflicts []identity.Conflict) error {
	for i := range persons {
		if err := writeJSON(w, persons[i]); err != nil {
			return err
		}
	}
	for i := range conflicts {
		if err := writeJSON(w, conflicts[i]); err != nil {
			return err
		}
	}
	return nil
}

func writePlan(w io.Writer, plan *people.Plan, contacts int) error {
	for i := range plan.Merges {
		m := &plan.Merges[i]
		if err := writeJSON(w, struct {
			Plan    string          `json:"plan"`
			Person  string          `json:"person"`
			IDs     []string        `json:"ids"`
			Because people.Reason   `json:"because"`
			Facts   []identity.Fact `json:"facts,omitempty"`
			More    int             `json:"more,omitempty"`
		}{"merge", m.Person, m.IDs, m.Because, m.Facts, m.More}); err != nil {
			return err
		}
	}
	for i := range plan.Ambiguous {
		p := &plan.Ambiguous[i]
		if err := writeJSON(w, struct {
			Plan    string           `json:"plan"`
			ID      string           `json:"id"`
			Because people.Reason    `json:"because"`
			Persons []identity.Alias `json:"people"`
		}{"ambiguous", p.ID, p.Reason, p.Persons}); err != nil {
			return err
		}
	}
	persons := map[string]bool{}
	for _, assigned := range plan.Persons {
		persons[assigned.Person] = true
	}
	return writeJSON(w, struct {
		Plan      string `json:"plan"`
		Contacts  int    `json:"contacts"`
		Persons   int    `json:"people"`
		Merges    int    `json:"merges"`
		Ambiguous int    `json:"ambiguous"`
		Unknown   int    `json:"unknown"`
	}{"summary", contacts, len(persons), len(plan.Merges), len(plan.Ambiguous), plan.Unknown})
}

func writeAssignments(w io.Writer, assigned []people.Assignment) error {
	out := csv.NewWriter(w)
	_ = out.Write([]string{"old id", "person"})
	for _, p := range assigned {
		_ = out.Write([]string{p.ID, p.Person})
	}
	out.Flush()
	return out.Error()
}
