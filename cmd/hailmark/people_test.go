package main

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The output for each vector contains its people and conflicts, in the specified format.
func TestPeopleVectors(t *testing.T) {
	text, err := os.ReadFile("../../vectors/identity.json")
	require.NoError(t, err)
	var file struct {
		Vectors []struct {
			ID    string
			Codes []string
			Input struct {
				Facts []json.RawMessage
			}
			Output struct {
				Persons, Conflicts []json.RawMessage
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &file))
	tried := 0
	for _, v := range file.Vectors {
		if len(v.Input.Facts) == 0 {
			continue
		}
		var in bytes.Buffer
		for _, fact := range v.Input.Facts {
			require.NoError(t, json.Compact(&in, fact))
			in.WriteByte('\n')
		}
		want := slices.Concat(v.Output.Persons, v.Output.Conflicts)
		status, stdout, stderr := runTool(t, in.String(), "people")
		if tried++; v.Codes != nil {
			require.Equal(t, 1, status, v.ID)
			require.Contains(t, stderr, "("+v.Codes[0]+")", v.ID)
			continue
		}
		require.Zero(t, status, v.ID)
		require.Empty(t, stderr, v.ID)
		lines := slices.Collect(strings.Lines(stdout))
		require.Len(t, lines, len(want), v.ID)
		for i, line := range lines {
			require.JSONEq(t, string(want[i]), line, v.ID)
		}
	}
	require.Greater(t, tried, 40)
}

func TestPeopleBadLines(t *testing.T) {
	facts := exampleFiles["facts.ndjson"]
	_, want, _ := runTool(t, facts, "people")
	lines := strings.SplitAfter(facts, "\n")
	bad := lines[0] + "{\"fact\":\"seen\"}\n" + lines[1] + "\nno JSON\n" + lines[2] + "{\"fact\":\"sen\",\"at\":1}"
	status, stdout, stderr := runTool(t, bad, "people", "-")
	require.Equal(t, 1, status)
	require.Equal(t, want, stdout)
	require.Equal(t, `hailmark: line 2: at is 0; use the webhook's timestamp, a Unix time above 0 (identity_invalid_fact)
hailmark: line 5: the JSON isn't a fact; for example, {"fact":"seen","at":1786000000,"bsuid":"US.1","phone":"16505551234"} is one (identity_invalid_json)
Hint: hailmark people --help shows facts; to read webhooks, add --webhooks.
hailmark: line 7: fact isn't seen, changed, joined, withdrawn or handed_over (identity_invalid_json)
`, stderr)
}

func TestPeopleWebhooks(t *testing.T) {
	status, stdout, stderr := runTool(t, exampleFiles["webhooks.ndjson"]+"[]\n", "people", "--webhooks", "--portfolio", "106540352242922=shop")
	require.Equal(t, 1, status)
	require.Equal(t, `{"aliases":[{"kind":"bsuid","value":"US.1","portfolio":"shop","first":1786000000,"last":1786000000,"current":true}],"name":"Jane"}`+"\n", stdout)
	require.Contains(t, stderr, "hailmark: line 2: ")
	_, want, _ := runTool(t, exampleFiles["webhooks.ndjson"], "people", "--webhooks")
	status, stdout, stderr = runTool(t, exampleFiles["webhook.json"], "people", "--webhooks")
	require.Zero(t, status, stderr)
	require.Equal(t, want, stdout, "a webhook on several lines")
	status, stdout, stderr = runTool(t, exampleFiles["webhooks.ndjson"], "people", "--webhooks", "--portfolio=7=shop")
	require.Zero(t, status)
	require.NotContains(t, stdout, "shop")
	require.Equal(t, "hailmark: no --portfolio given for these phone number IDs, which share one unnamed portfolio: 106540352242922\n", stderr)
}

func TestPeopleContacts(t *testing.T) {
	const facts = `{"fact":"seen","at":1786000000,"bsuid":"US.1","phone":"16505551234"}
{"fact":"seen","at":1786000050,"bsuid":"US.1","phone":"16505551234"}
{"fact":"changed","at":1786000100,"previous":{"bsuid":"US.1","phone":"16505551234"},"current":{"bsuid":"US.2","phone":"16505559999"}}
{"fact":"seen","at":1786000200,"bsuid":"US.3","phone":"16505551234"}
{"fact":"seen","at":1786000300,"bsuid":"BR.4","phone":"551181234567"}
{"fact":"seen","at":1786000400,"bsuid":"US.5"}
{"fact":"joined","at":1786000500,"a":{"kind":"bsuid","value":"US.5"},"b":{"kind":"bsuid","value":"BR.4"}}
`
	contacts := write(t, t.TempDir(), "contacts.csv", "\uFEFF"+`id;phone;bsuid;username;name;created
old;+1 650 555 1234;;;Jane;2026-08-06 07:06:50
new;;US.2;;Jane D.;2026-08-06
=b;+55 11 98123 4567;BR.4;;;1786000300
c;+55 11 8123 4567;;;;1786000000
d;;US.5;;;
later;16505551234;;;;2026-08-06T08:00:00Z
before;16505551234;;;;
mixed;16505559999;US.3;;;
fact;16505559999;US.8;;;
alone;4917112345678;;;;
alone too;+49 171 12345678;;;;
nothing;;;jane.doe;;
;16505559999;;;;
d;;US.1;;;
x;1,65E+10;;;;
y;;;;;tomorrow
`)
	status, stdout, stderr := runTool(t, facts, "people", "--contacts", contacts)
	require.Equal(t, 1, status)
	_, people, _ := runTool(t, facts, "people")
	require.Equal(t, people+`{"plan":"merge","person":"c","ids":["=b","c","d"],"because":"facts","facts":[{"fact":"seen","at":1786000300,"bsuid":"BR.4","phone":"551181234567"},{"fact":"seen","at":1786000400,"bsuid":"US.5"},{"fact":"joined","at":1786000500,"a":{"kind":"bsuid","value":"BR.4"},"b":{"kind":"bsuid","value":"US.5"}}]}
{"plan":"merge","person":"alone","ids":["alone","alone too"],"because":"same_phone"}
{"plan":"ambiguous","id":"old","because":"several_holders","people":[{"kind":"bsuid","value":"US.1"},{"kind":"bsuid","value":"US.3"}]}
{"plan":"ambiguous","id":"before","because":"several_holders","people":[{"kind":"bsuid","value":"US.1"},{"kind":"bsuid","value":"US.3"}]}
{"plan":"ambiguous","id":"mixed","because":"other_holder","people":[{"kind":"bsuid","value":"US.3"},{"kind":"bsuid","value":"US.1"}]}
{"plan":"ambiguous","id":"fact","because":"bsuid_without_facts","people":[{"kind":"bsuid","value":"US.1"}]}
{"plan":"summary","contacts":12,"people":5,"merges":2,"ambiguous":4,"unknown":3}
`, stdout)
	for _, want := range []string{"row 14: the contact has no id", "row 15: duplicate id", "row 16: phone", "row 17: created isn't a time"} {
		require.Contains(t, stderr, want)
	}
	require.NotContains(t, stderr, "country code", "a hint that does not fit row 15")
	status, stdout, _ = runTool(t, facts, "people", "--csv", "--contacts", contacts)
	require.Equal(t, 1, status)
	require.Equal(t, "old id,person\nnew,new\n=b,c\nc,c\nd,c\nlater,later\nalone,alone\nalone too,alone\nnothing,nothing\n", stdout)
}
