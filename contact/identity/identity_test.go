package identity

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAliasErrors(t *testing.T) {
	for _, test := range []struct {
		kind         Kind
		scope, value string
		message      string
	}{
		{0, "", "US.1", "kind"},
		{4, "", "US.1", "kind"},
		{KindBSUID, "", "", "is empty"},
		{KindBSUID, "", "US.1\n", "form of a BSUID"},
		{KindBSUID, "", "US.\xff", "form of a BSUID"},
		{KindBSUID, "", "16505550001", "as phone"},
		{KindBSUID, strings.Repeat("x", 257), "US.1", "256"},
		{KindBSUID, "\xff", "US.1", "UTF-8"},
		{KindBSUID, "a\tb", "US.1", "control"},
		{KindBSUID, "", "US.ENT.1", "as parent"},
		{KindParent, "", "US.1", "as bsuid"},
		{KindParent, "", "US.ENT.", "form of a BSUID"},
		{KindPhone, "", "+16505550001", "digits"},
		{KindPhone, "", "US.1", "digits"},
		{KindPhone, "", strings.Repeat("1", 33), "32"},
	} {
		_, err := NewAlias(test.kind, test.scope, test.value)
		require.ErrorIs(t, err, CodeInvalidAlias)
		require.ErrorContains(t, err, test.message)
		if len(test.value) > 3 {
			require.NotContains(t, err.Error(), test.value, "an id is personal data")
		}
	}
}

func TestAlias(t *testing.T) {
	a := mustAlias(KindPhone, "shop", "551191234567")
	require.Equal(t, "phone\tshop\t5511991234567", a.String())
	require.Equal(t, []any{KindPhone, "shop", "5511991234567"}, []any{a.Kind(), a.Scope(), a.Value()})
	require.False(t, a.id.IsStable())
	require.True(t, mustAlias(KindParent, "", "US.ENT.1").id.IsStable())
	require.Zero(t, Alias{}.String())
	require.False(t, Alias{}.id.IsValid())
	require.False(t, Alias{}.id.IsStable())
}

// Compare orders aliases as their canonical texts.
func TestCompareIsTheOrderOfTexts(t *testing.T) {
	aliases := []Alias{{}}
	for _, kind := range []Kind{KindBSUID, KindParent, KindPhone} {
		for _, scope := range []string{"", " ", "a", "a b", "aé", "b"} {
			for _, value := range []string{"1", "12", "2"} {
				value = map[Kind]string{KindBSUID: "US.", KindParent: "US.ENT."}[kind] + value
				aliases = append(aliases, mustAlias(kind, scope, value))
			}
		}
	}
	sign := func(n int) int { return min(max(n, -1), 1) }
	for _, a := range aliases {
		for _, b := range aliases {
			require.Equal(t, strings.Compare(a.String(), b.String()), sign(a.id.Compare(b.id)), "%q %q", a, b)
		}
	}
}

func TestKindsAreText(t *testing.T) {
	names := map[string]bool{}
	for k := Created; k <= Conflicted; k++ {
		names[k.String()] = true
	}
	require.Len(t, names, int(Conflicted))
	require.False(t, names[""])
	for _, k := range []fmt.Stringer{ChangeKind(0), Conflicted + 1, Kind(0), KindPhone + 1} {
		require.Empty(t, k.String())
	}
	require.Equal(t, "moved", fmt.Sprint(Moved))
}

func TestJSONRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		w := newWorld(seed)
		for _, f := range w.facts() {
			text, err := json.Marshal(f)
			require.NoError(t, err)
			var g Fact
			require.NoError(t, json.Unmarshal(text, &g), "%s", text)
			require.Equal(t, f, g, "%s", text)
		}
	}
	var f Fact
	text, err := json.Marshal(f)
	require.NoError(t, err)
	require.Equal(t, "null", string(text))
}

func TestJSONErrors(t *testing.T) {
	for text, message := range map[string]string{
		`[]`:       "the JSON isn't a fact",
		`{"at":1}`: "fact isn't",
		`{"fact":"joined","at":1,"a":{"kind":"email","value":"x"}}`:                                  "kind isn't",
		`{"fact":"joined","at":1,"a":{"kind":"parent","portfolio":"x","value":"US.ENT.1"}}`:          "a portfolio; its scope is a group",
		`{"fact":"joined","at":1,"a":{"kind":"bsuid","group":"x","value":"US.1"}}`:                   "a group; its scope is a portfolio",
		`{"fact":"seen","at":1,"bsuid":"US.1","undo":true}`:                                          "a field of another kind",
		`{"fact":"seen","at":1.5,"bsuid":"US.1"}`:                                                    "a number 1.5 in the field at; it must be a whole number",
		`{"fact":"seen","at":1,"bsuid":1}`:                                                           "a number in the field bsuid; it must be a string",
		`{"fact":"changed","at":1,"previous":{"bsuid":"US.1","extra":1},"current":{"bsuid":"US.2"}}`: `"extra"`,
	} {
		var f Fact
		err := json.Unmarshal([]byte(text), &f)
		require.Error(t, err, text)
		require.Contains(t, err.Error(), message, text)
		require.Zero(t, f)
	}
	var a Alias
	require.ErrorIs(t, a.UnmarshalJSON([]byte(`{} {}`)), CodeInvalidJSON)
	require.ErrorContains(t, a.UnmarshalJSON([]byte(`5`)), `for example, {"kind":"phone"`)
	require.NoError(t, json.Unmarshal([]byte(`null`), &a))
	require.Zero(t, a)
}

func TestPersonID(t *testing.T) {
	id := PersonID(newID())
	require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, id.String())
	var again PersonID
	require.NoError(t, again.UnmarshalText([]byte(id.String())))
	require.Equal(t, id, again)
	text, err := json.Marshal(id)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &again))
	require.Equal(t, id, again)
	require.NoError(t, again.UnmarshalText(nil))
	require.True(t, again.IsZero())
	require.Zero(t, again.String())
	for _, bad := range []string{"x", strings.ToUpper(id.String()) + "0", strings.Replace(id.String(), "-", "_", 1), "00000000-0000-0000-0000-000000000000"} {
		require.ErrorIs(t, again.UnmarshalText([]byte(bad)), CodeInvalidPersonID, bad)
	}
}

func TestObserveFailsWhole(t *testing.T) {
	e, m := newTestEngine()
	_, _, err := e.Observe(t.Context(), seen(t, start, "US.1", "16505550001"), Fact{})
	require.ErrorContains(t, err, "zero Fact")
	require.Empty(t, allRows(m))
}
