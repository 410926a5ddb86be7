package webhooknorm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

// Payloads that the platform documents or could send, with what the specification says about them.
var payloads = []struct {
	name, field, value string // without a field, value is the payload
	want               string // a line for each event and other, as describe writes them, or the code of the error
}{
	// Who wrote.
	{
		"text", "messages", `"contacts":[{"profile":{"name":"Sheena","username":"@Sheena.N"},"wa_id":"16505551234","user_id":"US.1"}],
		"messages":[{"from":"16505551234","from_user_id":"US.1","id":"wamid.1","timestamp":"1749416383","type":"text","text":{"body":"Hi?"}}]`,
		`message bsuid=US.1 phone=16505551234 user=Sheena.N name=Sheena id=wamid.1 type=text text=Hi? reply=to:16505551234`,
	},
	{
		"hidden number", "messages", `"contacts":[{"profile":{"username":"sheena"},"user_id":"US.1"}],
		"messages":[{"from_user_id":"US.1","type":"text","text":{"body":"Hi"}}]`,
		`message bsuid=US.1 user=sheena type=text text=Hi reply=recipient:US.1`,
	},
	{
		"blank numbers", "messages", `"contacts":[{"profile":{"name":"Jo"},"wa_id":"","user_id":"US.1"}],
		"messages":[{"from":"","from_user_id":"US.1","type":"text","text":{"body":"Hi"}}]`,
		`message bsuid=US.1 name=Jo type=text text=Hi reply=recipient:US.1`,
	},
	{
		"parent", "messages", `"contacts":[{"profile":{"name":"Jo"},"user_id":"US.1","parent_user_id":"US.ENT.9"}],
		"messages":[{"from_user_id":"US.1","from_parent_user_id":"US.ENT.9","type":"text","text":{"body":"Hi"}}]`,
		`message bsuid=US.1 parent=US.ENT.9 name=Jo type=text text=Hi reply=recipient:US.1`,
	},
	{
		"parent only", "messages", `"messages":[{"from_parent_user_id":"US.ENT.9","type":"text","text":{"body":"Hi"}}]`,
		`message bsuid=US.ENT.9 parent=US.ENT.9 type=text text=Hi reply=recipient:US.ENT.9`,
	},
	{
		"BSUID in from", "messages", `"messages":[{"from":"BR.1502576394655843","type":"text","text":{"body":"Oi"}}]`,
		`message bsuid=BR.1502576394655843 type=text text=Oi reply=recipient:BR.1502576394655843`,
	},
	{
		"number as integer", "messages", `"contacts":[{"wa_id":"16505551234","profile":{"name":"Jo"}}],"messages":[{"from":16505551234,"type":"text","text":{"body":"Hi"}}]`,
		`message phone=16505551234 name=Jo type=text text=Hi reply=to:16505551234`,
	},
	{
		"same number, another BSUID", "messages", `"contacts":[{"profile":{"name":"Before","username":"before"},"wa_id":"16505551234","user_id":"US.1"}],
		"messages":[{"from":"16505551234","from_user_id":"US.2","type":"text","text":{"body":"Hi"}}]`,
		`message bsuid=US.2 phone=16505551234 type=text text=Hi reply=to:16505551234
		other field=messages`,
	},
	{
		"same number, another parent BSUID", "messages", `"contacts":[{"profile":{"name":"Before"},"wa_id":"16505551234","parent_user_id":"US.ENT.1"}],
		"messages":[{"from":"16505551234","from_parent_user_id":"US.ENT.2","type":"text","text":{"body":"Hi"}}]`,
		`message bsuid=US.ENT.2 parent=US.ENT.2 phone=16505551234 type=text text=Hi reply=to:16505551234
		other field=messages`,
	},
	{
		"both holders of a number", "messages", `"contacts":[{"profile":{"name":"Before"},"wa_id":"16505551234","user_id":"US.1"},{"profile":{"name":"Now"},"wa_id":"16505551234","user_id":"US.2"}],
		"messages":[{"from":"16505551234","from_user_id":"US.2","type":"text","text":{"body":"Hi"}}]`,
		`message bsuid=US.2 phone=16505551234 name=Now type=text text=Hi reply=to:16505551234
		other field=messages`,
	},
	{
		"two contacts, number alone", "messages", `"contacts":[{"profile":{"name":"Before"},"wa_id":"16505551234","user_id":"US.1"},{"profile":{"name":"Now"},"wa_id":"16505551234","user_id":"US.2"}],
		"messages":[{"from":"16505551234","type":"text","text":{"body":"Hi"}}]`,
		`message phone=16505551234 type=text text=Hi reply=to:16505551234
		other field=messages`,
	},
	{
		"another number", "messages", `"contacts":[{"profile":{"name":"Jo"},"wa_id":"16505559999"}],"messages":[{"from":"16505551234","type":"text","text":{"body":"Hi"}}]`,
		`message phone=16505551234 type=text text=Hi reply=to:16505551234
		other field=messages`,
	},
	{
		"other form of the number", "messages", `"contacts":[{"profile":{"name":"Lupe"},"wa_id":"525512345678"}],"messages":[{"from":"5215512345678","type":"text","text":{"body":"Hola"}}]`,
		`message phone=5215512345678 name=Lupe type=text text=Hola reply=to:5215512345678`,
	},
	{
		"lone contact", "messages", `"contacts":[{"profile":{"name":"Jo"},"wa_id":"16505551234","user_id":"US.1"}],"messages":[{"type":"text","text":{"body":"Hi"}}]`,
		`message bsuid=US.1 phone=16505551234 name=Jo type=text text=Hi reply=to:16505551234`,
	},
	{
		"lone contact, two messages", "messages", `"contacts":[{"profile":{"name":"Jo"},"user_id":"US.1"}],"messages":[{"from_user_id":"US.1","type":"text","text":{"body":"a"}},{"type":"text","text":{"body":"b"}}]`,
		`message bsuid=US.1 name=Jo type=text text=a reply=recipient:US.1
		message type=text text=b wants`,
	},
	{
		"lone contact, another BSUID", "messages", `"contacts":[{"profile":{"name":"Al"},"user_id":"US.2"}],"messages":[{"from_user_id":"US.1","type":"text","text":{"body":"Hi"}}]`,
		`message bsuid=US.1 type=text text=Hi reply=recipient:US.1
		other field=messages`,
	},
	{
		"parent BSUID as BSUID", "messages", `"messages":[{"from_user_id":"US.ENT.9","type":"text","text":{"body":"Hi"}}]`,
		`message bsuid=US.ENT.9 parent=US.ENT.9 type=text text=Hi reply=recipient:US.ENT.9`,
	},
	{
		"business writes to itself", "messages", `"contacts":[{"profile":{"name":"Shop"},"wa_id":"15550783881"}],"messages":[{"from":"15550783881","type":"text","text":{"body":"Hi"}}]`,
		`message type=text text=Hi wants
		other field=messages`,
	},

	// What they said.
	{
		"reaction", "messages", `"messages":[{"from_user_id":"US.1","type":"reaction","reaction":{"message_id":"wamid.7","emoji":"👍"}}]`,
		`message bsuid=US.1 target=wamid.7 type=reaction reaction=👍`,
	},
	{
		"reaction without emoji", "messages", `"messages":[{"from_user_id":"US.1","type":"reaction","reaction":{"message_id":"wamid.7"}}]`,
		`message bsuid=US.1 target=wamid.7 type=reaction reaction=removed`,
	},
	{
		"reaction with an empty emoji", "messages", `"messages":[{"from_user_id":"US.1","type":"reaction","reaction":{"message_id":"wamid.7","emoji":""}}]`,
		`message bsuid=US.1 target=wamid.7 type=reaction reaction=removed`,
	},
	{
		"location", "messages", `"messages":[{"from_user_id":"US.1","type":"location","location":{"latitude":37.483,"longitude":-122.149,"name":"HQ","address":"1 Hacker Way","url":"https://example.com"}}]`,
		`message bsuid=US.1 type=location location=37.483,-122.149|HQ|1 Hacker Way|https://example.com reply=recipient:US.1`,
	},
	{
		"location at 0, 0", "messages", `"messages":[{"from_user_id":"US.1","type":"location","location":{"latitude":0,"longitude":0}}]`,
		`message bsuid=US.1 type=location location=0,0||| reply=recipient:US.1`,
	},
	{
		"location off the earth", "messages", `"messages":[{"from_user_id":"US.1","type":"location","location":{"latitude":91,"longitude":0}}]`,
		`message bsuid=US.1 type=location reply=recipient:US.1`,
	},
	{
		"location without longitude", "messages", `"messages":[{"from_user_id":"US.1","type":"location","location":{"latitude":9}}]`,
		`message bsuid=US.1 type=location reply=recipient:US.1`,
	},
	{
		"template button", "messages", `"messages":[{"context":{"from":"15550783881","id":"wamid.6"},"from_user_id":"US.1","type":"button","button":{"payload":"YES-1","text":"Yes"}}]`,
		`message bsuid=US.1 re=wamid.6 type=button text=Yes choice=YES-1 reply=recipient:US.1`,
	},
	{
		"reply button", "messages", `"messages":[{"from_user_id":"US.1","type":"interactive","interactive":{"type":"button_reply","button_reply":{"id":"no","title":"No"}}}]`,
		`message bsuid=US.1 type=interactive text=No choice=no reply=recipient:US.1`,
	},
	{
		"list entry", "messages", `"messages":[{"from_user_id":"US.1","type":"interactive","interactive":{"type":"list_reply","list_reply":{"id":"p2","title":"Post","description":"2 days"}}}]`,
		`message bsuid=US.1 type=interactive text=Post choice=p2 reply=recipient:US.1`,
	},
	{
		"flow", "messages", `"messages":[{"from_user_id":"US.1","type":"interactive","interactive":{"type":"nfm_reply","nfm_reply":{"name":"flow","body":"Sent","response_json":"{\"flow_token\":\"t\",\"n\":1}"}}}]`,
		`message bsuid=US.1 type=interactive text=Sent flow={"flow_token":"t","n":1} reply=recipient:US.1`,
	},
	{
		"flow that's cut off", "messages", `"messages":[{"from_user_id":"US.1","type":"interactive","interactive":{"type":"nfm_reply","nfm_reply":{"name":"flow","body":"Sent","response_json":"{\"flow_token\":"}}}]`,
		`message bsuid=US.1 type=interactive text=Sent reply=recipient:US.1`,
	},
	{
		"flow as an object", "messages", `"messages":[{"from_user_id":"US.1","type":"interactive","interactive":{"type":"nfm_reply","nfm_reply":{"response_json":{"n":1}}}}]`,
		`message bsuid=US.1 type=interactive flow={"n":1} reply=recipient:US.1`,
	},
	{
		"permission to call", "messages", `"messages":[{"from_user_id":"US.1","type":"interactive","interactive":{"type":"call_permission_reply","call_permission_reply":{"response":"accept","is_permanent":true}}}]`,
		`message bsuid=US.1 type=interactive`,
	},
	{
		"advertisement with an image", "messages", `"messages":[{"from_user_id":"US.1","type":"text","text":{"body":"Info"},"referral":{"source_url":"https://fb.me/1","source_id":"120","source_type":"ad","headline":"Sale","body":"Now","media_type":"image","image_url":"https://example.com/i","ctwa_clid":"Af","welcome_message":{"text":"Hello"}}}]`,
		`message bsuid=US.1 type=text text=Info referral=https://fb.me/1|120|ad|Sale|Now|Af|image|https://example.com/i|||Hello reply=recipient:US.1`,
	},
	{
		"post with a video", "messages", `"messages":[{"from_user_id":"US.1","type":"text","text":{"body":"Info"},"referral":{"source_type":"post","source_id":"9","media_type":"video","video_url":"https://example.com/v","thumbnail_url":"https://example.com/t"}}]`,
		`message bsuid=US.1 type=text text=Info referral=|9|post||||video||https://example.com/v|https://example.com/t| reply=recipient:US.1`,
	},
	{
		"image", "messages", `"messages":[{"from_user_id":"US.1","type":"image","image":{"id":"77","mime_type":"image/jpeg","sha256":"x","caption":"Look"}}]`,
		`message bsuid=US.1 type=image text=Look media=77|image/jpeg||Look reply=recipient:US.1`,
	},
	{
		"document", "messages", `"messages":[{"from_user_id":"US.1","type":"document","document":{"id":"78","mime_type":"application/pdf","filename":"a.pdf"}}]`,
		`message bsuid=US.1 type=document media=78|application/pdf|a.pdf| reply=recipient:US.1`,
	},
	{
		"voicemail", "messages", `"messages":[{"from_user_id":"US.1","id":"wacid.1","type":"audio","audio":{"id":"79","mime_type":"audio/ogg; codecs=opus","voice":true}}]`,
		`message bsuid=US.1 id=wacid.1 type=audio media=79|audio/ogg; codecs=opus|| reply=recipient:US.1`,
	},
	{
		"video without an ID", "messages", `"messages":[{"from_user_id":"US.1","type":"video","video":{"mime_type":"video/mp4","caption":"Look"}}]`,
		`message bsuid=US.1 type=video text=Look reply=recipient:US.1`,
	},
	{
		"order", "messages", `"messages":[{"from_user_id":"US.1","type":"order","order":{"catalog_id":"1","text":"Please","product_items":[{"product_retailer_id":"a","quantity":1}]}}]`,
		`message bsuid=US.1 type=order text=Please reply=recipient:US.1`,
	},
	{
		"opened the chat", "messages", `"messages":[{"from_user_id":"US.1","type":"request_welcome"}]`,
		`message bsuid=US.1 type=request_welcome reply=recipient:US.1`,
	},
	{
		"unsupported", "messages", `"messages":[{"from_user_id":"US.1","type":"unsupported","errors":[{"code":131051,"title":"Unsupported","error_data":{"details":"Message type is currently not supported."}}]}]`,
		`message bsuid=US.1 type=unsupported errors=131051:Message type is currently not supported.`,
	},
	{
		"type of tomorrow", "messages", `"messages":[{"from_user_id":"US.1","type":"poll","poll":{"question":"?"}}]`,
		`message bsuid=US.1 type=poll`,
	},
	{
		"edit", "messages", `"messages":[{"from_user_id":"US.1","type":"edit","edit":{"original_message_id":"wamid.7","message":{"context":{"id":"M0"},"type":"text","text":{"body":"Better"}}}}]`,
		`message bsuid=US.1 target=wamid.7 type=edit text=Better`,
	},
	{
		"deletion", "messages", `"messages":[{"from_user_id":"US.1","type":"revoke","revoke":{"original_message_id":"wamid.7"}}]`,
		`message bsuid=US.1 target=wamid.7 type=revoke`,
	},
	{
		"shared number", "messages", `"messages":[{"from_user_id":"US.1","type":"contacts","origin":"contact_request","contacts":[{"phones":[{"phone":"+1 650 555 1234","wa_id":"16505551234"}]}]}]`,
		`message bsuid=US.1 shared=16505551234 type=contacts reply=recipient:US.1`,
	},
	{
		"somebody's card", "messages", `"messages":[{"from_user_id":"US.1","type":"contacts","contacts":[{"origin":"other","name":{"formatted_name":"Al"},"phones":[{"phone":"+1 650 555 9999","wa_id":"16505559999"}]}]}]`,
		`message bsuid=US.1 type=contacts reply=recipient:US.1`,
	},
	{
		"group message", "messages", `"contacts":[{"profile":{"name":"Jo"},"wa_id":"16505551234","user_id":"US.1"}],"messages":[{"from":"16505551234","from_user_id":"US.1","group_id":"G1","type":"text","text":{"body":"Hi all"}}]`,
		`message bsuid=US.1 phone=16505551234 name=Jo group=G1 type=text text=Hi all wants`,
	},

	// Announcements.
	{
		"new number", "messages", `"messages":[{"from":"16505551234","from_user_id":"US.1","type":"system","system":{"body":"x","wa_id":"16505559999","user_id":"US.2","previous_user_id":"US.1","type":"user_changed_number"}}]`,
		`message bsuid=US.1 phone=16505551234 type=system change=US.1,16505551234>US.2,16505559999`,
	},
	{
		"new number of 2025", "messages", `"messages":[{"from":"16505551234","type":"system","system":{"body":"x","new_wa_id":"16505559999","type":"user_changed_number"}}]`,
		`message phone=16505551234 type=system change=,16505551234>,16505559999`,
	},
	{
		"new BSUID", "messages", `"messages":[{"type":"system","system":{"user_id":"US.2","previous_user_id":"US.1","type":"user_changed_user_id"}}]`,
		`message bsuid=US.1 type=system change=US.1,>US.2,`,
	},
	{
		"new BSUID, new sender", "messages", `"messages":[{"from_user_id":"US.2","type":"system","system":{"user_id":"US.2","previous_user_id":"US.1","type":"user_changed_user_id"}}]`,
		`message bsuid=US.2 type=system change=US.1,>US.2,`,
	},
	{
		"new BSUID, no previous side", "messages", `"messages":[{"from":"16505551234","type":"system","system":{"wa_id":"16505551234","user_id":"US.3","type":"user_changed_user_id"}}]`,
		`message phone=16505551234 type=system`,
	},
	{
		"announcement and a contact", "messages", `"contacts":[{"profile":{"name":"Jo"},"wa_id":"16505551234","user_id":"US.1"}],
		"messages":[{"from":"16505551234","type":"system","system":{"wa_id":"16505559999","user_id":"US.2","type":"user_changed_number"}}]`,
		`message phone=16505551234 name=Jo type=system change=,16505551234>US.2,16505559999
		other field=messages`,
	},
	{
		"security code", "messages", `"contacts":[{"profile":{"name":"Jo"},"wa_id":"16505551234","user_id":"US.1"}],
		"messages":[{"from":"16505551234","type":"system","system":{"type":"customer_identity_changed","customer":"16505551234","identity":"h"}}]`,
		`message bsuid=US.1 phone=16505551234 name=Jo type=system`,
	},
	{
		"user_id_update", "user_id_update", `"contacts":[{"profile":{"name":"Jo"}}],"user_id_update":[{"wa_id":"16505551234","user_id":{"previous":"US.1","current":"US.2"},"parent_user_id":{"previous":"US.ENT.1","current":"US.ENT.2"},"timestamp":1}]`,
		`identity_update bsuid=US.1 parent=US.ENT.1 change=US.1,>US.2,|16505551234
		other field=user_id_update`,
	},

	// Statuses.
	{
		"delivered", "messages", `"contacts":[{"profile":{"name":"Jo","username":"jo"},"wa_id":"16505551234","user_id":"US.1"}],"statuses":[{"id":"wamid.5","status":"delivered","timestamp":"1","recipient_id":"16505551234","recipient_user_id":"US.1","pricing":{"billable":true}}]`,
		`status bsuid=US.1 phone=16505551234 user=jo name=Jo id=wamid.5 state=delivered address=to:16505551234`,
	},
	{
		"failed", "messages", `"statuses":[{"id":"wamid.5","status":"failed","recipient_id":"16505551234","errors":[{"code":131047,"title":"Re-engagement message","message":"m","error_data":{"details":"More than 24 hours"},"href":"h"}]}]`,
		`status phone=16505551234 id=wamid.5 state=failed errors=131047:More than 24 hours address=to:16505551234`,
	},
	{
		"failed without anybody", "messages", `"statuses":[{"id":"wamid.5","status":"failed","errors":[{"code":1,"details":"d"}]}]`,
		`status id=wamid.5 state=failed errors=1:d`,
	},
	{
		"read by members of a group", "messages", `"contacts":[{"wa_id":"16505551234","user_id":"US.1","profile":{"name":"Jo"}},{"user_id":"US.2","profile":{"name":"Al"}}],
		"statuses":[{"id":"wamid.5","status":"read","recipient_type":"group","recipient_id":"G1","recipient_participant_id":"16505551234","recipient_participant_user_id":"US.1"},
		{"id":"wamid.5","status":"read","recipient_type":"group","recipient_id":"G1","recipient_participant_user_id":"US.2"}]`,
		`status bsuid=US.1 phone=16505551234 name=Jo group=G1 id=wamid.5 state=read
		status bsuid=US.2 name=Al group=G1 id=wamid.5 state=read`,
	},
	{
		"parent of April", "messages", `"statuses":[{"id":"wamid.5","status":"read","recipient_user_id":"US.1","parent_recipient_user_id":"US.ENT.9"}]`,
		`status bsuid=US.1 parent=US.ENT.9 id=wamid.5 state=read address=recipient:US.1`,
	},
	{
		"ringing", "calls", `"statuses":[{"id":"wacid.5","type":"call","status":"RINGING","recipient_id":"16505551234"}]`,
		`status phone=16505551234 id=wacid.5 type=call state=RINGING address=to:16505551234`,
	},

	// Other kinds.
	{
		"echo", "smb_message_echoes", `"contacts":[{"wa_id":"16505551234","user_id":"US.1","profile":{"username":"jo"}}],"message_echoes":[{"from":"15550783881","to":"16505551234","to_user_id":"US.1","id":"wamid.3","type":"text","text":{"body":"Coming"}}]`,
		`echo bsuid=US.1 phone=16505551234 user=jo id=wamid.3 type=text text=Coming address=to:16505551234`,
	},
	{
		"echo to a group", "smb_message_echoes", `"message_echoes":[{"from":"15550783881","to":"G1","recipient_type":"group","type":"text","text":{"body":"All"}}]`,
		`echo group=G1 type=text text=All`,
	},
	{
		"standby", "standby", `"standby":{"contacts":[{"user_id":"US.1","profile":{"name":"Jo"}}],"messages":[{"from_user_id":"US.1","type":"text","text":{"body":"Hi"}}],"message_echoes":[{"message":{"to":"16505551234","recipient":"US.2","type":"text","text":{"body":"Bot"}}}]}`,
		`message standby bsuid=US.1 name=Jo type=text text=Hi
		echo standby bsuid=US.2 phone=16505551234 type=text text=Bot`,
	},
	{
		"standby without the level", "standby", `"contacts":[{"user_id":"US.1","profile":{"name":"Jo"}}],"messages":[{"from_user_id":"US.1","type":"text","text":{"body":"Hi"}}]`,
		`message standby bsuid=US.1 name=Jo type=text text=Hi`,
	},
	{
		"handover", "messaging_handovers", `"sender":{"phone_number":"16505551234","user_id":"US.1"},"type":"control_passed","timestamp":"1","control_passed":{"previous_owner_role":"meta_business_agent","new_owner_role":"business","metadata":"m"}`,
		`handover bsuid=US.1 phone=16505551234 state=control_passed handover=meta_business_agent>business|m address=to:16505551234`,
	},
	{
		"handover without a person", "messaging_handovers", `"recipient":{"display_phone_number":"15550783881","phone_number_id":"106"},"control_taken":{"previous_owner_app_role":"ai_agent"}`,
		`handover state=control_taken handover=ai_agent>|`,
	},
	{
		"call", "calls", `"contacts":[{"profile":{"name":"Jo"},"wa_id":"16505551234","user_id":"US.1"}],"calls":[{"id":"wacid.1","from":"16505551234","from_user_id":"US.1","to":"15550783881","event":"connect","direction":"USER_INITIATED","session":{"sdp":"v=0","sdp_type":"offer"}}]`,
		`call bsuid=US.1 phone=16505551234 name=Jo id=wacid.1 state=connect address=to:16505551234`,
	},
	{
		"call that ended, sides exchanged", "calls", `"calls":[{"id":"wacid.1","from":"15550783881","to":"16505551234","event":"terminate","direction":"USER_INITIATED","status":["COMPLETED"],"duration":9}]`,
		`call phone=16505551234 id=wacid.1 state=terminate address=to:16505551234`,
	},
	{
		"call to a person", "calls", `"contacts":[{"wa_id":"16505551234","user_id":"US.1"}],"calls":[{"id":"wacid.2","to":"15550783881","to_user_id":"US.1","from":"15550783881","event":"call_created","direction":"BUSINESS_INITIATED"}]`,
		`call_to_user bsuid=US.1 phone=16505551234 id=wacid.2 state=call_created address=to:16505551234`,
	},
	{
		"transcription", "calls", `"calls":[{"id":"wacid.3","from":"16505551234","from_user_id":"US.1","to":"15550783881","event":"call_transcription_available"}]`,
		`call bsuid=US.1 phone=16505551234 id=wacid.3 state=call_transcription_available address=to:16505551234`,
	},
	{
		"preference", "user_preferences", `"contacts":[{"profile":{"name":"Jo"},"wa_id":"16505551234","user_id":"US.1"}],"user_preferences":[{"wa_id":"16505551234","user_id":"US.1","detail":"d","category":"marketing_messages","value":"stop","timestamp":1731705721}]`,
		`preference bsuid=US.1 phone=16505551234 name=Jo state=stop address=to:16505551234`,
	},
	{
		"history", "history", `"history":[{"metadata":{"phase":0,"chunk_order":1,"progress":55},"threads":[{"id":"16505551234","context":{"wa_id":"16505551234","user_id":"US.1","username":"jo"},"messages":[
		{"from":"16505551234","id":"wamid.1","type":"text","text":{"body":"Hi"},"history_context":{"status":"READ"}},
		{"from":"15550783881","to":"16505551234","id":"wamid.2","type":"media_placeholder"}]}]}]`,
		`history bsuid=US.1 phone=16505551234 user=jo id=wamid.1 type=text text=Hi
		history_echo bsuid=US.1 phone=16505551234 user=jo id=wamid.2 type=media_placeholder
		other field=history`,
	},
	{
		"file of the history", "history", `"contacts":[{"wa_id":"16505551234","user_id":"US.1"}],"messages":[{"from":"16505551234","id":"wamid.1","type":"image","image":{"id":"7","mime_type":"image/png"}}],"message_echoes":[{"from":"15550783881","to":"16505551234","id":"wamid.2","type":"image","image":{"id":"8"}}]`,
		`history bsuid=US.1 phone=16505551234 id=wamid.1 type=image media=7|image/png||
		history_echo bsuid=US.1 phone=16505551234 id=wamid.2 type=image media=8|||`,
	},
	{
		"history isn't shared", "history", `"history":[{"errors":[{"code":2593109,"title":"t","error_data":{"details":"not shared"}}]}]`,
		`other field=history errors=2593109:not shared`,
	},
	{
		"address book", "smb_app_state_sync", `"state_sync":[{"type":"contact","contact":{"full_name":"Pablo Morales","first_name":"Pablo","phone_number":"16505551234","user_id":"US.1","username":"pm"},"action":"add","metadata":{"timestamp":"1"}},{"type":"contact","contact":{"phone_number":"16505559999"},"action":"remove","metadata":{"timestamp":"1"}}]`,
		`app_contact bsuid=US.1 phone=16505551234 user=pm name=Pablo Morales state=add address=to:16505551234
		app_contact phone=16505559999 state=remove address=to:16505559999`,
	},
	{
		"group participants", "group_participants_update", `"groups":[{"timestamp":"1","group_id":"G1","type":"group_participants_add","added_participants":[{"wa_id":"16505551234","user_id":"US.1","username":"jo"},{"input":"US.2"}],"failed_participants":[{"input":"+1 650 555 9999","errors":[{"code":131,"title":"t"}]}]}]`,
		`participant bsuid=US.1 phone=16505551234 user=jo group=G1 state=group_participants_add
		participant bsuid=US.2 group=G1 state=group_participants_add
		participant_failed phone=16505559999 group=G1 state=group_participants_add errors=131:
		other field=group_participants_update`,
	},
	{
		"asks to join", "group_participants_update", `"groups":[{"timestamp":"1","group_id":"G1","type":"group_join_request_created","join_request_id":"j","wa_id":"16505551234","user_id":"US.1"}]`,
		`participant bsuid=US.1 phone=16505551234 group=G1 state=group_join_request_created`,
	},

	// Others, and what's no webhook.
	{"template", "message_template_status_update", `"event":"REJECTED","message_template_id":1,"reason":"ABUSIVE_CONTENT"`, `other field=message_template_status_update`},
	{"business's username", "business_username_updates", `"display_phone_number":"15550783881","username":"shop","status":"approved"`, `other field=business_username_updates`},
	{"error of the value", "messages", `"errors":[{"code":130429,"title":"Rate limit hit","error_data":{"details":"d"}}]`, `other field=messages errors=130429:d`},
	{"click", "messages", `"user_actions":[{"action_type":"marketing_messages_link_click"}]`, `other field=messages`},
	{
		"member of tomorrow", "messages", `"messages":[{"from_user_id":"US.1","type":"text","text":{"body":"Hi"},"new":{"a":1}}],"tomorrow":{"a":1}`,
		`message bsuid=US.1 type=text text=Hi reply=recipient:US.1
		other field=messages`,
	},
	{
		"elements that aren't objects", "messages", `"messages":[7,{"from_user_id":"US.1","type":"text","text":{"body":"Hi"}}],"statuses":null`,
		`message bsuid=US.1 type=text text=Hi reply=recipient:US.1
		other field=messages`,
	},
	{
		"field of tomorrow", "messages_v2", `"messages":[{"from_user_id":"US.1","type":"text","text":{"body":"Hi"}}]`,
		`message bsuid=US.1 type=text text=Hi`,
	},
	{
		"changes that aren't objects", "", `{"entry":[1,{"id":"9","changes":[null,{"field":"messages","value":{"messages":[{"from_user_id":"US.1","type":"text","text":{"body":"Hi"}}]}}]}]}`,
		`message bsuid=US.1 type=text text=Hi reply=recipient:US.1
		other
		other`,
	},
	{
		"bare value", "", `{"messages":[{"from_user_id":"US.1","type":"text","text":{"body":"Hi"}}]}`,
		`message bsuid=US.1 type=text text=Hi reply=recipient:US.1`,
	},
	{
		"360dialog", "", `{"event":"smb_app_state_sync","data":{"state_sync":[{"contact":{"phone_number":"16505551234","first_name":"Jo"},"action":"add"}]}}`,
		`app_contact phone=16505551234 name=Jo state=add address=to:16505551234`,
	},
	{"answer of the API", "", `{"messaging_product":"whatsapp","contacts":[{"input":"+1 650 555 1234","wa_id":"16505551234"}],"messages":[{"id":"wamid.1","message_status":"accepted"}]}`, `webhook_unrecognized_shape`},
	{"answer of the API about a group", "", `{"messaging_product":"whatsapp","messages":[{"id":"wamid.1","group_id":"G1"}]}`, `webhook_unrecognized_shape`},
	{"error of the API", "", `{"error":{"message":"m","type":"OAuthException","code":190}}`, `webhook_unrecognized_shape`},
	{"no change", "", `{"object":"whatsapp_business_account","entry":[{"id":"9","changes":[]}]}`, `webhook_unrecognized_shape`},
	{"names that are equal", "", `{"messages":[{"from":"1","\u0066rom":"2"}]}`, `webhook_invalid_json`},
	{"two values", "", `{"messages":[]}{}`, `webhook_invalid_json`},
}

// Read finds the right person in each payload, what the person said, and loses nothing.
func TestPayloads(t *testing.T) {
	for _, p := range payloads {
		t.Run(p.name, func(t *testing.T) {
			payload := p.value
			if p.field != "" {
				payload = fmt.Sprintf(`{"object":"whatsapp_business_account","entry":[{"id":"104","changes":[{"field":%q,"value":{"messaging_product":"whatsapp","metadata":{"display_phone_number":"15550783881","phone_number_id":"106"},%s}}]}]}`, p.field, p.value)
			}
			var got []string
			webhook, err := webhooknorm.Read([]byte(payload))
			if err != nil {
				found := problem.All(err)
				require.Len(t, found, 1)
				got = append(got, string(found[0].Code))
			}
			for _, e := range webhook.Events {
				got = append(got, describe(e))
			}
			for _, o := range webhook.Others {
				line := "other"
				if o.Field != "" {
					line += " field=" + o.Field
				}
				got = append(got, line+describeErrors(o.Errors))
			}
			var want []string
			for line := range strings.Lines(p.want) {
				want = append(want, strings.TrimSpace(line))
			}
			require.Equal(t, want, got)
		})
	}
}

// describe returns an event's members and what its methods return, without those that are empty.
func describe(e webhooknorm.Event) string {
	line := string(e.Kind)
	if e.Standby {
		line += " standby"
	}
	add := func(name, value string) {
		if value != "" {
			line += " " + name + "=" + value
		}
	}
	add("bsuid", e.BSUID)
	add("parent", e.ParentBSUID)
	add("phone", e.Phone)
	add("user", e.Username)
	add("name", e.DisplayName)
	add("shared", e.SharedPhone)
	add("group", e.GroupID)
	add("id", e.MessageID)
	add("re", e.ReplyTo)
	add("target", e.Target)
	add("type", e.Type)
	add("state", e.State)
	add("text", e.Text())
	if choice, ok := e.Choice(); ok {
		add("choice", choice)
	}
	if flow, ok := e.FlowResponse(); ok {
		add("flow", string(flow))
	}
	if r, ok := e.Referral(); ok {
		add("referral", strings.Join([]string{r.URL, r.ID, r.Type, r.Headline, r.Body, r.ClickID, r.MediaType, r.ImageURL, r.VideoURL, r.ThumbnailURL, r.Greeting}, "|"))
	}
	if m, ok := e.Media(); ok {
		add("media", strings.Join([]string{m.ID, m.MIMEType, m.Filename, m.Caption}, "|"))
	}
	if r, ok := e.Reaction(); ok {
		add("reaction", r.Emoji)
		if r.IsRemoved {
			add("reaction", "removed")
		}
	}
	if l, ok := e.Location(); ok {
		add("location", fmt.Sprintf("%v,%v|%s|%s|%s", l.Latitude, l.Longitude, l.Name, l.Address, l.URL))
	}
	line += describeErrors(e.Errors)
	if c := e.Change; c != nil {
		sides := side(c.Previous) + ">" + side(c.Current)
		if c.Phone != "" {
			sides += "|" + c.Phone
		}
		add("change", sides)
	}
	if h := e.Handover; h != nil {
		add("handover", h.PreviousOwner+">"+h.NewOwner+"|"+h.Metadata)
	}
	reply, replies := e.Reply()
	address, ok := e.Address()
	switch {
	case replies:
		add("reply", reply.Field+":"+reply.Value)
	case e.WantsReply():
		line += " wants"
	case ok && e.Kind != webhooknorm.KindMessage:
		add("address", address.Field+":"+address.Value)
	}
	return line
}

func side(ids contact.IDs) string { return ids.BSUID + "," + ids.Phone }

func describeErrors(list []webhooknorm.Error) string {
	line := ""
	for i, e := range list {
		line += []string{" errors=", ";"}[min(i, 1)] + fmt.Sprint(e.Code) + ":" + e.Details
	}
	return line
}
