package webhooknorm_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

// shapes are the members of each object, "name:shape" if the member isn't a string or an
// integer. A shape in brackets is an array.
var shapes = map[string]string{
	"payload":  "object entry:[entry]",
	"entry":    "id time other changes:[change]",
	"change":   "field other value:value",
	"value":    "metadata:metadata contacts:[contact] messages:[message] statuses:[status] standby:value message_echoes:[echo] calls:[call] user_preferences:[person] user_id_update:[update] history:[history] state_sync:[sync] groups:[group] sender:person recipient:metadata control_passed:control control_taken:control conversation_context:control type timestamp messaging_product other errors:[error]",
	"metadata": "phone_number_id display_phone_number other",
	"contact":  "user_id parent_user_id wa_id username input profile:profile",
	"profile":  "name username",
	"person":   "id user_id parent_user_id wa_id phone_number username full_name first_name input value timestamp errors:[error]",
	"message":  "id timestamp type from from_user_id from_parent_user_id from_bsuid group_id origin context:quoted system:system contacts:[card] errors:[error] message_status",
	"quoted":   "id from from_user_id wa_id user_id parent_user_id username",
	"system":   "type user_id parent_user_id wa_id new_wa_id previous_user_id previous_parent_user_id new_user_id new_parent_user_id customer",
	"card":     "origin phones:[person]",
	"error":    "code title message error_data:details details error_subcode error_user_title error_user_msg fbtrace_id",
	"details":  "details",
	"status":   "id timestamp type status recipient_type recipient_id recipient_user_id recipient_parent_user_id parent_recipient_user_id recipient_participant_id recipient_participant_user_id recipient_participant_parent_user_id participant_recipient_id participant_recipient_user_id participant_recipient_parent_user_id group_id errors:[error]",
	"echo":     "id timestamp type to to_user_id to_parent_user_id from from_user_id recipient_type group_id context:quoted message:inner errors:[error]",
	"inner":    "to recipient recipient_type type context:quoted",
	"call":     "id timestamp type event direction from from_user_id from_parent_user_id to to_user_id to_parent_user_id errors:[error]",
	"update":   "wa_id user_id:sides parent_user_id:sides timestamp",
	"sides":    "previous current",
	"history":  "threads:[thread] metadata:details errors:[error] other",
	"thread":   "id context:quoted messages:[call] other",
	"sync":     "action contact:person metadata:person timestamp",
	"group":    "type timestamp group_id wa_id user_id parent_user_id username input added_participants:[person] removed_participants:[person] invited_participants:[person] failed_participants:[person] errors:[error]",
	"control":  "previous_owner_role previous_owner_app_role previous_owner_app_id new_owner_role metadata previous_owner:owner conversation_context:control",
	"owner":    "app_id app_role",
}

// words are the texts that decide something; other members take any of the first pool.
var words = map[string]string{
	"":               `"491" "491" "+49\u00202" "492" 493 "US.1" "US.2" "US.ENT.7" "US.ENT.8" "who" "7@g.us" "" "\t" "@ada" "Ada" "whatsapp:+49-1" "491" 1763700000`,
	"type":           `"system" "system" "contacts" "text" "call" "user_changed_number" "user_changed_user_id" "user_changed_user_id" "customer_identity_changed" "control_passed"`,
	"direction":      `"USER_INITIATED" "BUSINESS_INITIATED" "business_initiated" "x"`,
	"recipient_type": `"group" "individual"`,
	"origin":         `"contact_request" "other"`,
	"code":           `131047 "131051" 1.5 -7 "-7"`,
}

// wrong are values that hardly any member can have.
var wrong = []string{"null", "{}", "[]", "true", "1.5", "-5", "491e3", `[{"from":"491"}]`, `{"wa_id":"491"}`, `"\u0034\u00391"`, `"\ud800"`, `"a\"b\\"`, `0`, `"US. 1"`, `"us.1"`, `"49/1"`}

// jsonTokens returns where strings, numbers, words, {} and [] start and end in a text, which can be invalid.
func jsonTokens(text []byte) (list [][2]int) {
	for i := 0; i < len(text); {
		n := 0
		switch c := text[i]; {
		case c == '"':
			n = stringLength(text[i:])
		case strings.IndexByte(numberBytes, c) >= 0:
			n = len(text[i:]) - len(bytes.TrimLeft(text[i:], numberBytes))
		default:
			for _, word := range []string{"true", "false", "null", "{}", "[]"} {
				if bytes.HasPrefix(text[i:], []byte(word)) {
					n = len(word)
				}
			}
		}
		if n > 0 {
			list = append(list, [2]int{i, i + n})
		}
		i += max(n, 1)
	}
	return list
}

const numberBytes = "-0123456789.eE+"

// stringLength returns the length of the string that text begins with, or 0 if it doesn't end.
func stringLength(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return 0
}

// A payloadWriter makes payloads up.
type payloadWriter struct {
	*rand.Rand
	rich int // of 8 members, so many are there
}

func pick[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

// write makes a random object.
func (g *payloadWriter) write(b *bytes.Buffer, shape string, depth int) {
	members := strings.Fields(shapes[shape])
	g.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	b.WriteByte('{')
	first := true
	for _, member := range members {
		name, of, _ := strings.Cut(member, ":")
		needed := slices.Contains([]string{"entry", "changes", "value", "threads"}, name)
		chance := g.rich
		if shape == "value" {
			chance = 1 + g.rich/3
		}
		if depth > 12 || !needed && g.IntN(8) >= chance {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		if g.IntN(60) == 0 {
			name = "\\u00" + strconv.FormatInt(int64(name[0]), 16) + name[1:]
		}
		b.WriteString(`"` + name + `": `)
		list := strings.HasPrefix(of, "[")
		of = strings.Trim(of, "[]")
		switch {
		case g.IntN(40) == 0:
			b.WriteString(pick(g.Rand, wrong))
		case of == "":
			pool := words[name]
			if pool == "" || g.IntN(6) == 0 {
				pool = words[""]
			}
			b.WriteString(pick(g.Rand, strings.Fields(pool)))
		case !list:
			g.write(b, of, depth+1)
		default:
			b.WriteByte('[')
			for i := range pick(g.Rand, []int{1, 1, 1, 1, 2, 2, 3, 0}) {
				if i > 0 {
					b.WriteByte(',')
				}
				if g.IntN(30) == 0 {
					b.WriteString(pick(g.Rand, wrong))
					continue
				}
				g.write(b, of, depth+1)
			}
			b.WriteByte(']')
		}
	}
	b.WriteByte('}')
}

// mutate changes a text in a few places: it exchanges values and names with others, and
// now and then bytes.
func (g *payloadWriter) mutate(text []byte) []byte {
	for range 1 + g.IntN(4) {
		tokens := jsonTokens(text)
		if len(tokens) == 0 {
			break
		}
		at, from := pick(g.Rand, tokens), pick(g.Rand, tokens)
		insert := string(text[from[0]:from[1]])
		switch g.IntN(12) {
		case 0, 1, 2:
			insert = pick(g.Rand, wrong)
		case 3, 4, 5:
			insert = pick(g.Rand, strings.Fields(words[""]))
		case 6:
			at[1] = at[0] + 1
			insert = pick(g.Rand, []string{"", "{", "]", ",", ":", `"`, `\`, "\xff", " ", "0", "\n"})
		}
		text = slices.Concat(text[:at[0]], []byte(insert), text[at[1]:])
	}
	return text
}

// sameAsReference compares both functions with the reference.
func sameAsReference(t *testing.T, payload []byte) (accepted bool) {
	w, err := webhooknorm.Read(payload)
	want, code := referenceRead(payload, true)
	events, nerr := webhooknorm.Normalize(payload)
	normal, ncode := referenceRead(payload, false)
	if code != "" || ncode != "" {
		require.Equal(t, code, codeOf(err), "%s", payload)
		require.Equal(t, ncode, codeOf(nerr), "%s", payload)
	}
	if code != "" {
		return false
	}
	if ncode == "" && nerr != nil || err != nil || !reflect.DeepEqual(want, w) || !reflect.DeepEqual(normal.Events, events) {
		t.Errorf("payload %s\nwant %s %s\ngot  %s %s", payload, jsonOf(want), jsonOf(normal.Events), jsonOf(w), jsonOf(events))
	}
	return true
}

func jsonOf(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// codeOf returns an error's code, or "" if it's nil.
func codeOf(err error) problem.Code {
	codes := problem.All(err).Codes()
	if len(codes) == 0 {
		return ""
	}
	return codes[0]
}

// TestDifferential compares the reader with the reference. WEBHOOK_STREAMS=n runs n streams
// of 1,000 payloads, and WEBHOOK_STREAM is the first.
func TestDifferential(t *testing.T) {
	const each = 1000
	streams, first := 1, 0
	if text := os.Getenv("WEBHOOK_STREAMS"); text != "" {
		var err error
		streams, err = strconv.Atoi(text)
		require.NoError(t, err)
		first, _ = strconv.Atoi(os.Getenv("WEBHOOK_STREAM"))
	}
	var known [][]byte
	for _, v := range loadVectors(t) {
		known = append(known, v.Input.bytes(t))
	}
	file, err := vectors.Load[input, json.RawMessage]("webhook_read.json")
	require.NoError(t, err)
	for _, v := range file.Vectors {
		known = append(known, v.Input.bytes(t))
	}
	for stream := first; stream < first+streams; stream++ {
		g := &payloadWriter{Rand: rand.New(rand.NewPCG(uint64(stream), 2))}
		accepted := 0
		for range each {
			var payload []byte
			if g.IntN(3) == 0 {
				payload = g.mutate(pick(g.Rand, known))
			} else {
				g.rich = 1 + g.IntN(7)
				var b bytes.Buffer
				g.write(&b, pick(g.Rand, []string{"payload", "payload", "value"}), 0)
				payload = b.Bytes()
				if g.IntN(4) == 0 {
					payload = g.mutate(payload)
				}
			}
			if sameAsReference(t, payload) {
				accepted++
			}
			if t.Failed() {
				t.Fatalf("stream %d", stream)
			}
		}
		require.Greater(t, accepted, each/3, "stream %d", stream)
	}
}
