// Command client calls every endpoint with the client of oapi-codegen, and prints what
// it got.
package main

import (
	"bytes"
	"client/hailmark"
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
)

var ctx = context.Background()

func client(base string) *hailmark.ClientWithResponses {
	return must(hailmark.NewClientWithResponses(base))
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// show prints the code of the error that is not nil, else the values of the success.
func show[T any](operation string, response *http.Response, success *T, failure *hailmark.Error, values func(*T) []any) {
	line := []any{operation, response.StatusCode}
	if failure != nil {
		line = append(line, failure.Error.Code)
	} else {
		line = append(line, values(success)...)
	}
	fmt.Println(line...)
}

func verdict(v *hailmark.Validation) []any {
	if len(v.Errors) > 0 {
		return []any{v.Errors[0].Code}
	}
	return []any{v.Valid}
}

func main() {
	c := client(os.Args[1])
	text := "Hi there"
	for _, username := range []string{"jane.doe", "ab"} {
		r := must(c.GetUsernameLinkWithResponse(ctx, &hailmark.GetUsernameLinkParams{Username: username, Text: &text}))
		show("getUsernameLink", r.HTTPResponse, r.JSON200, r.JSON400, func(v *hailmark.UsernameLink) []any { return []any{v.Link} })
	}
	for _, phone := range []string{"+1 650 555 1234", "0650 555 1234"} {
		r := must(c.GetPhoneLinkWithResponse(ctx, &hailmark.GetPhoneLinkParams{Phone: phone}))
		show("getPhoneLink", r.HTTPResponse, r.JSON200, r.JSON400, func(v *hailmark.PhoneLink) []any { return []any{v.Link} })
		v := must(c.ValidatePhoneWithResponse(ctx, &hailmark.ValidatePhoneParams{Phone: phone}))
		show("validatePhone", v.HTTPResponse, v.JSON200, v.JSON400, verdict)
	}
	for _, username := range []string{"jane.doe", "Jane"} {
		v := must(c.ValidateUsernameWithResponse(ctx, &hailmark.ValidateUsernameParams{Username: username}))
		show("validateUsername", v.HTTPResponse, v.JSON200, v.JSON400, verdict)
		b := must(c.ValidateBusinessUsernameWithResponse(ctx, hailmark.UsernameValidateInput{Username: username}))
		show("validateBusinessUsername", b.HTTPResponse, b.JSON200, b.JSON400, func(v *hailmark.BusinessUsernameValidation) []any {
			if len(v.Reasons) > 0 {
				return []any{v.Reasons[0]}
			}
			return []any{v.Valid}
		})
	}
	for _, key := range []string{"aB3d", "abc"} {
		v := must(c.ValidateKeyWithResponse(ctx, &hailmark.ValidateKeyParams{Key: key}))
		show("validateKey", v.HTTPResponse, v.JSON200, v.JSON400, verdict)
	}

	username, phone, size, svg := "jane.doe", "16505551234", 256, hailmark.GetQRParamsFormat("svg")
	for _, params := range []hailmark.GetQRParams{{Username: &username, Size: &size}, {Phone: &phone, Format: &svg}, {}} {
		r := must(c.GetQRWithResponse(ctx, &params))
		show("getQR", r.HTTPResponse, &r.Body, r.JSON400, func(picture *[]byte) []any {
			mediaType := r.HTTPResponse.Header.Get("Content-Type")
			mark := map[string]string{"image/png": "PNG", "image/svg+xml": "<svg"}[mediaType]
			return []any{mediaType, bytes.Contains(*picture, []byte(mark))}
		})
	}
	document := must(c.GetOpenAPIWithResponse(ctx))
	show("getOpenAPI", document.HTTPResponse, document.JSON200, nil, func(v *hailmark.OpenAPIDocument) []any { return []any{v.Openapi, v.Info.Title} })

	for _, bsuid := range []string{"US.ENT.1", "us.1"} {
		v := must(c.ValidateBsuidWithResponse(ctx, hailmark.BsuidValidateInput{Bsuid: bsuid}))
		show("validateBsuid", v.HTTPResponse, v.JSON200, v.JSON400, func(v *hailmark.BsuidValidation) []any { return []any{v.IsParent} })
		p := must(c.ParseBsuidWithResponse(ctx, hailmark.BsuidValidateInput{Bsuid: bsuid}))
		show("parseBsuid", p.HTTPResponse, p.JSON200, p.JSON400, func(v *hailmark.BsuidParse) []any { return []any{v.CountryCode, v.Id} })
	}
	number := "+1 650 555 1234"
	for _, input := range []hailmark.ContactResolveInput{{Phone: &number}, {}} {
		r := must(c.ResolveContactWithResponse(ctx, input))
		show("resolveContact", r.HTTPResponse, r.JSON200, r.JSON400, func(v *hailmark.ResolvedContact) []any {
			if v.Username != nil {
				return []any{v.Type, v.Id, *v.Username}
			}
			return []any{v.Type, v.Id, "null"}
		})
	}
	value := map[string]any{"messages": []any{map[string]any{"from_user_id": "US.1", "id": "wamid.1"}}}
	changes := []hailmark.WebhookPayload_Entry_Changes_Item{{Field: "messages", Value: &value}}
	for _, entry := range [][]hailmark.WebhookPayload_Entry_Item{{{Changes: &changes}}, {}} {
		r := must(c.NormalizeWebhookWithResponse(ctx, hailmark.WebhookPayload{Entry: &entry}))
		show("normalizeWebhook", r.HTTPResponse, r.JSON200, r.JSON422, func(v *hailmark.NormalizedWebhook) []any {
			return []any{v.Events[0].Kind, *v.Events[0].Bsuid}
		})
	}
	elsewhere := must(client(os.Args[1] + "/nowhere").GetOpenAPIWithResponse(ctx))
	show("getOpenAPI", elsewhere.HTTPResponse, elsewhere.JSON200, elsewhere.JSON404, func(*hailmark.OpenAPIDocument) []any { return nil })
}
