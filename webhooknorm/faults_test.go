package webhooknorm_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm"
)

// A repeated name is an error, however it's written and however many there are.
func TestRepeatedNamesAreAnError(t *testing.T) {
	for _, array := range []string{"messages", "calls", "contacts", "standby", "sender"} {
		for _, first := range []string{`"\u0061":0`, `"a":0`, `"1":0,"2":0,"3":0,"4":0,"5":0,"6":0,"7":0,"8":0,"9":0,"10":0,"11":0,"12":0,"13":0,"14":0,"15":0,"16":0`} {
			payload := `{` + first + strings.Repeat(`,"`+array+`":[]`, 19) + `}`
			for _, text := range []string{payload, `{"entry":[{"changes":[{"value":` + payload + `}]}]}`} {
				_, err := webhooknorm.Normalize([]byte(text))
				require.ErrorIs(t, err, webhooknorm.CodeInvalidJSON, text)
				_, err = webhooknorm.Read([]byte(text))
				require.ErrorIs(t, err, webhooknorm.CodeInvalidJSON, text)
			}
		}
	}
}

// The values are those of Meta's reference page of the call_created webhook.
const callCreated = `{"object":"whatsapp_business_account","entry":[{"id":"366634483210360","changes":[{"value":{
	"messaging_product":"whatsapp","metadata":{"phone_number_id":"436666719526789","display_phone_number":"16315553601"},
	"contacts":[{"profile":{"name":"Ada","username":"@ada"},"wa_id":"16315553602","user_id":"US.13491208655302741918","parent_user_id":"US.ENT.11815799212886844830"}],
	"calls":[{"id":"wacid.ABGG","to":"16315553601","to_user_id":"US.13491208655302741918","to_parent_user_id":"US.ENT.11815799212886844830",
		"from":"16315553602","event":"call_created","timestamp":"1671644824","direction":"BUSINESS_INITIATED"}]},"field":"calls"}]}]}`

// The business's own number is never the phone of a person, whatever stands beside it.
func TestBusinessNumberIsNobodysPhone(t *testing.T) {
	w, err := webhooknorm.Read([]byte(callCreated))
	require.NoError(t, err)
	require.Equal(t, "16315553602", w.Events[0].Phone)
	address, ok := w.Events[0].Address()
	require.True(t, ok)
	require.Equal(t, "16315553602", address.Value)

	w, err = webhooknorm.Read([]byte(`{"metadata":{"display_phone_number":"+1 555-078-3881"},"messages":[
		{"from":"15550783881","from_user_id":"US.1"},
		{"type":"system","from_user_id":"US.1","system":{"type":"user_changed_number","wa_id":"15550783881","user_id":"US.2","customer":"15550783881"}}]}`))
	require.NoError(t, err)
	for _, e := range w.Events {
		require.Equal(t, "US.1", e.BSUID)
		require.Empty(t, e.Phone)
	}
	require.Len(t, w.Changes, 1)
	require.Equal(t, "US.2", w.Changes[0].Current.BSUID)
	require.Empty(t, w.Changes[0].Current.Phone+w.Changes[0].Previous.Phone+w.Changes[0].Phone)
}

// Nobody wrote a system message, and a group isn't a private conversation.
func TestAddressOfSystemAndGroupMessages(t *testing.T) {
	w, err := webhooknorm.Read([]byte(`{"messages":[
		{"from":"16505551234","id":"wamid.1","type":"system","system":{"type":"user_changed_number","wa_id":"12195555358"}},
		{"from":"16505551234","id":"wamid.2","type":"text","group_id":"Y2FwaV9ncm91cDox"}],
		"user_id_update":[{"wa_id":"16505551234","user_id":{"previous":"US.1","current":"US.2"}}]}`))
	require.NoError(t, err)
	require.Len(t, w.Events, 3)
	for _, e := range w.Events {
		_, ok := e.Address()
		require.False(t, ok, string(e.Raw))
		require.NotEmpty(t, e.Phone+e.BSUID, "the event still names the person")
	}
}
