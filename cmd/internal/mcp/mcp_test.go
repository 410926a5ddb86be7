package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/qrcode"
)

// connect returns a client connected to the server in memory.
func connect(t *testing.T, server *sdk.Server) *sdk.ClientSession {
	t.Helper()
	here, there := sdk.NewInMemoryTransports()
	_, err := server.Connect(t.Context(), there, nil)
	require.NoError(t, err)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), here, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, session.Close()) })
	return session
}

func call(t *testing.T, session *sdk.ClientSession, tool, arguments string) *sdk.CallToolResult {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	require.NoError(t, err)
	return result
}

func text(t *testing.T, result *sdk.CallToolResult) string {
	t.Helper()
	content, ok := result.Content[0].(*sdk.TextContent)
	require.True(t, ok)
	return content.Text
}

const message = `{"metadata":{"phone_number_id":"1"},"contacts":[{"profile":{"name":"Jane"},"user_id":"US.1"}],"messages":[{"from_user_id":"US.1","id":"wamid.1","timestamp":"1786000000","type":"text","text":{"body":"Hi"}}]}`

const failed = `{"metadata":{"phone_number_id":"1"},"statuses":[{"id":"wamid.2","status":"failed","recipient_id":"16505551234","timestamp":"1786000000","errors":[{"code":131047,"title":"Re-engagement message"}]}]}`

const changed = `{"messages":[{"from":"16505551234","id":"1","timestamp":"1786000000","type":"system","system":{"type":"user_changed_number","wa_id":"16505559999"}}]}`

func argument(webhook string) string {
	text, _ := json.Marshal(map[string]string{"payload": webhook})
	return string(text)
}

func TestTools(t *testing.T) {
	session := connect(t, NewServer())
	tools, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
		require.True(t, tool.Annotations.ReadOnlyHint)
		require.NotEmpty(t, tool.Description)
		require.NotNil(t, tool.InputSchema)
		require.NotNil(t, tool.OutputSchema)
	}
	require.Equal(t, []string{"create_link", "create_qr_code", "explain_link", "explain_webhook", "validate_identifier"}, names)

	for _, tt := range []struct{ tool, arguments, want string }{
		{"create_link", `{"target":"jane.doe","text":"Hi there"}`, `{"link":"https://wa.me/jane.doe?text=Hi%20there","kind":"username","username":"jane.doe","text":"Hi there","summary":"Opens a chat with @jane.doe. The message \"Hi there\" is filled in."}`},
		{"create_link", `{"target":"+49 171 1234567"}`, `{"link":"https://wa.me/491711234567","kind":"phone","phone":"+491711234567","countryName":"Germany","callingCode":"49","summary":"Opens a chat with +491711234567 (Germany)."}`},
		{"create_link", `{"target":"@Jane.Doe"}`, `{"link":"https://wa.me/jane.doe","kind":"username","username":"jane.doe","summary":"Opens a chat with @jane.doe."}`},
		{"create_link", `{"target":"tel:0171-1234567","country":"DE"}`, `{"link":"https://wa.me/491711234567","kind":"phone","phone":"+491711234567","countryName":"Germany","callingCode":"49","summary":"Opens a chat with +491711234567 (Germany)."}`},
		{"create_link", `{"target":"wa.me/jane.doe?text=Hi","text":"Hello"}`, `{"link":"https://wa.me/jane.doe?text=Hello","kind":"username","username":"jane.doe","text":"Hello","summary":"Opens a chat with @jane.doe. The message \"Hello\" is filled in."}`},
		{"explain_link", `{"link":"chat.whatsapp.com/AbCdEf0123456789012345"}`, `{"link":"https://chat.whatsapp.com/AbCdEf0123456789012345","kind":"group","code":"AbCdEf0123456789012345","summary":"Invites to the group that the code identifies."}`},
		{"validate_identifier", `{"kind":"bsuid","value":"US.ENT.1"}`, `{"valid":true,"countryCode":"US","isParent":true}`},
		{"validate_identifier", `{"kind":"username","value":"Jane"}`, `{"valid":false,"problems":[{"field":"username","code":"username_invalid_chars","message":"username contains \"J\"; only lowercase letters are allowed (did you mean jane?)","suggestions":["jane"]}]}`},
		{"validate_identifier", `{"kind":"business_username","value":"wwwjane"}`, `{"valid":false,"reasons":["leading_www"],"problems":[{"field":"username","code":"username_starts_with_www","message":"username begins with www, which isn't allowed for a business"}]}`},
		{"explain_webhook", argument(message), `{"summary":"1 event and 0 other parts.","events":[{"summary":"Jane sent a message of type text.","kind":"message","bsuid":"US.1","displayName":"Jane","address":{"field":"recipient","value":"US.1"},"reply":{"field":"recipient","value":"US.1"},"wantsReply":true,"key":"message:1:wamid.1","text":"Hi","type":"text","time":"2026-08-06T07:06:40Z","messageId":"wamid.1","phoneNumberId":"1"}]}`},
		{"explain_webhook", `{"payload":` + message + `}`, `{"summary":"1 event and 0 other parts.","events":[{"summary":"Jane sent a message of type text.","kind":"message","bsuid":"US.1","displayName":"Jane","address":{"field":"recipient","value":"US.1"},"reply":{"field":"recipient","value":"US.1"},"wantsReply":true,"key":"message:1:wamid.1","text":"Hi","type":"text","time":"2026-08-06T07:06:40Z","messageId":"wamid.1","phoneNumberId":"1"}]}`},
		{"explain_webhook", argument(failed), `{"summary":"1 event and 0 other parts.","events":[{"summary":"A message or call to +16505551234 has the status failed, with error 131047: Re-engagement message.","kind":"status","noReply":"It isn't a message that waits for a reply.","phone":"16505551234","address":{"field":"to","value":"16505551234"},"key":"status:1:wamid.2:failed:16505551234:1786000000","state":"failed","errors":[{"code":131047,"title":"Re-engagement message"}],"time":"2026-08-06T07:06:40Z","messageId":"wamid.2","phoneNumberId":"1"}]}`},
	} {
		result := call(t, session, tt.tool, tt.arguments)
		got, err := json.Marshal(result.StructuredContent)
		require.NoError(t, err)
		require.JSONEq(t, tt.want, string(got), tt.arguments)
		require.JSONEq(t, tt.want, text(t, result), tt.arguments)
	}
	for _, tt := range []struct{ tool, arguments, want string }{
		{"create_link", `{}`, `target is missing; specify it`},
		{"create_link", `{"target":" "}`, `"field":"target","code":"missing_target"`},
		{"create_link", `{"target":"US.13491208655302741918"}`, `"field":"target","code":"target_is_bsuid"`},
		{"create_link", `{"target":"jane","country":"XX"}`, `"field":"country","code":"invalid_country"`},
		{"create_link", `{"target":"0171 1234567","country":"XX"}`, `"field":"country","code":"invalid_country"`},
		{"create_link", `{"target":"0171 123"}`, `"field":"target","code":"phone_invalid_format"`},
		{"create_link", `{"target":"jane","message":"Hi"}`, `message`},
		{"create_link", `{"target":1}`, `"field":"target","code":"invalid_argument","message":"target is of type number; it must be a string"`},
		{"create_link", `{"target":null}`, `target is missing; specify it`},
		{"create_qr_code", `{"target":true}`, `"field":"target","code":"invalid_argument"`},
		{"create_qr_code", `{"target":"jane","size":"big"}`, `size is of type string; it must be an integer`},
		{"create_qr_code", `{"target":"jane","size":0.5}`, `size is of type number; it must be an integer`},
		{"create_qr_code", `{"target":"jane","format":"jpg"}`, `"field":"format","code":"invalid_format"`},
		{"create_qr_code", `{"target":"jane","level":"X"}`, `"field":"level"`},
		{"create_qr_code", `{"target":"jane","size":-1}`, `"code":"invalid_size"`},
		{"explain_link", `{}`, `link is missing; specify it`},
		{"explain_link", `{"link":null}`, `link is missing; specify it`},
		{"explain_link", `{"link":"wa.me/jane","Link":"wa.me/joe"}`, `the tool has no argument \"Link\"; it has link`},
		{"explain_webhook", `{"payload":[1]}`, `"code":"webhook_`},
		{"explain_webhook", `{"payload":7}`, `"code":"webhook_`},
		{"explain_link", `{"link":"https://example.com"}`, `"code":"link_unrecognized"`},
		{"create_qr_code", `{"target":"chat.whatsapp.com/AbCdEf0123456789012345","text":"Hi"}`, `"code":"text_not_supported"`},
		{"create_qr_code", `{"target":"jane","color":"red","background":"x"}`, `"field":"background"`},
		{"create_qr_code", `{"target":"jane","color":"ff0"}`, `"code":"low_contrast"`},
		{"create_qr_code", `{"target":"jane","size":5000}`, `to 4096 pixels are allowed`},
		{"validate_identifier", `{"kind":"email","value":"x"}`, `it must be one of bsuid, business_username, phone, username`},
		{"explain_webhook", argument("{}"), `"code":"webhook_unrecognized_shape"`},
		{"explain_webhook", argument(strings.Repeat(" ", maxWebhook) + message), `"code":"body_too_large"`},
	} {
		result := call(t, session, tt.tool, tt.arguments)
		require.True(t, result.IsError, tt.arguments)
		require.Contains(t, text(t, result), tt.want, tt.arguments)
	}
}

func TestQRCode(t *testing.T) {
	session := connect(t, NewServer())
	const link = "https://wa.me/jane?text=Hi"
	green, err := qrcode.ParseColor("075e54")
	require.NoError(t, err)
	want, err := qrcode.RenderQR(link, qrcode.Options{Size: 300, Style: qrcode.Style{MinLevel: qrcode.LevelH, Foreground: green}})
	require.NoError(t, err)
	result := call(t, session, "create_qr_code", `{"target":"jane","text":"Hi","size":300,"level":"H","color":"#075e54"}`)
	image, ok := result.Content[0].(*sdk.ImageContent)
	require.True(t, ok)
	require.Equal(t, "image/png", image.MIMEType)
	require.Equal(t, want, image.Data)

	want, err = qrcode.RenderQR(link, qrcode.Options{Format: qrcode.SVG, Title: link})
	require.NoError(t, err)
	require.Equal(t, string(want), text(t, call(t, session, "create_qr_code", `{"target":"wa.me/jane?text=Hi","format":"svg"}`)))
}

// Clients that forward only the content show the warnings, too.
// A result says whether the code will scan.
func TestScan(t *testing.T) {
	session := connect(t, NewServer())
	for arguments, light := range map[string]string{`{"target":"jane.doe"}`: "green", `{"target":"jane.doe","color":"989898"}`: "yellow"} {
		result := call(t, session, "create_qr_code", arguments)
		structured, err := json.Marshal(result.StructuredContent)
		require.NoError(t, err)
		require.Contains(t, string(structured), `"light":"`+light+`"`)
	}
}

func TestWarningsAreInContent(t *testing.T) {
	session := connect(t, NewServer())
	for _, arguments := range []string{
		`{"target":"(917) 555-1234"}`, `{"target":"(917) 555-1234","format":"svg"}`, `{"target":"jane","color":"ffffff","background":"000000"}`,
	} {
		result := call(t, session, "create_qr_code", arguments)
		require.Len(t, result.Content, 2)
		last, ok := result.Content[1].(*sdk.TextContent)
		require.True(t, ok)
		var info linkInfo
		require.NoError(t, json.Unmarshal([]byte(last.Text), &info))
		require.NotEmpty(t, info.Warnings, arguments)
	}
}

// The result contains new identifiers after a change, and a limited number of events.
func TestWebhook(t *testing.T) {
	session := connect(t, NewServer())
	explain := func(webhook string) (info webhookInfo) {
		require.NoError(t, json.Unmarshal([]byte(text(t, call(t, session, "explain_webhook", argument(webhook)))), &info))
		return info
	}
	info := explain(changed)
	require.Equal(t, "WhatsApp sent a system message about +16505551234. The identifiers of the person changed from phone 16505551234 to phone 16505559999. Use the new ones.", info.Events[0].Summary)
	require.Nil(t, info.Events[0].Reply)
	require.Contains(t, info.Events[0].NoReply, "A change contains the current ones")
	require.Equal(t, "16505559999", info.Events[0].Change.Current.Phone)

	info = explain(`{"sender":{"wa_id":"16505551234"},"control_passed":{"previous_owner_role":"ai_agent","new_owner_role":"escalation"}}`)
	require.Equal(t, "The conversation with +16505551234 passed from ai_agent to escalation.", info.Events[0].Summary)

	info = explain(`{"entry":[{"changes":[{"field":"account_update","value":{"event":"x"}}]}]}`)
	require.Equal(t, webhookInfo{Summary: "0 events and 1 other part.", Events: []eventInfo{}, Others: []otherInfo{{Field: "account_update"}}}, info)

	info = explain(`{"messages":[` + strings.Repeat(`{"from":"16505551234","group_id":"G","id":"1","type":"image"},`, 150) + `{}]}`)
	require.Len(t, info.Events, maxEvents)
	require.Equal(t, "151 events and 0 other parts. Only the first 100 of each are listed.", info.Summary)
	require.Equal(t, "It happened in a group. To reply there, send to G with recipient_type group.", info.Events[0].NoReply)

	for kind, summary := range summaries {
		require.Contains(t, summary, "{who}", kind)
	}
	for kind, summary := range linkKinds {
		require.NotEmpty(t, summary, kind)
	}
}

// A panic's value isn't returned, and doesn't stop the server.
func TestPanicAndCancellation(t *testing.T) {
	server := NewServer()
	add(server, "fail", "", "", nil, func(in struct{ Secret string }) (struct{}, []sdk.Content, error) { panic(in.Secret) })
	session := connect(t, server)
	result := call(t, session, "fail", `{"Secret":"jane"}`)
	require.True(t, result.IsError)
	require.JSONEq(t, `{"errors":[{"code":"internal_error","message":"internal error; please report it with the input"}]}`, text(t, result))

	server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return next(ctx, method, r)
		}
	})
	result = call(t, session, "fail", `{"Secret":"jane"}`)
	require.Equal(t, "context canceled", text(t, result))
}

// Every call that the input contains has an answer, however many there are and although the input has ended.
func TestStdioAnswersAll(t *testing.T) {
	var in strings.Builder
	in.WriteString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n")
	in.WriteString(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	const calls = 20
	for id := 1; id <= calls; id++ {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"create_qr_code","arguments":{"target":"jane.doe","size":%d}}}`+"\n", id, 100*(id+1))
	}
	var out bytes.Buffer
	require.NoError(t, ServeStdio(t.Context(), strings.NewReader(in.String()), &out))
	answered := map[int]bool{}
	for line := range strings.Lines(out.String()) {
		var answer struct{ ID int }
		require.NoError(t, json.Unmarshal([]byte(line), &answer))
		answered[answer.ID] = true
	}
	require.Len(t, answered, calls+1)
}

func TestStdioEnds(t *testing.T) {
	require.NoError(t, ServeStdio(t.Context(), strings.NewReader(""), io.Discard))
	ctx, cancel := context.WithCancel(t.Context())
	in, _ := io.Pipe()
	ended := make(chan error)
	go func() { ended <- ServeStdio(ctx, in, io.Discard) }()
	cancel()
	require.NoError(t, <-ended)
}
