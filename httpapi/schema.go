package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/contact"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

// A schema is a JSON Schema.
type schema map[string]any

func refTo(name string) schema { return schema{"$ref": "#/components/schemas/" + name} }

// binaryOf is the schema of an image. It is written so that client generators make a Blob
// or bytes of it, not a text.
func binaryOf(mediaType string) schema {
	return schema{"type": "string", "format": "binary", "contentMediaType": mediaType}
}

// schemaNames are the names of the types that have a schema of their own.
var schemaNames = map[reflect.Type]string{
	reflect.TypeFor[errorBody]():                  "Error",
	reflect.TypeFor[errorDetail]():                "ErrorDetail",
	reflect.TypeFor[problem.Code]():               "ErrorCode",
	reflect.TypeFor[validation]():                 "Validation",
	reflect.TypeFor[errorItem]():                  "ErrorItem",
	reflect.TypeFor[verdictCode]():                "ErrorItemCode",
	reflect.TypeFor[warningItem]():                "WarningItem",
	reflect.TypeFor[warningCode]():                "WarningItemCode",
	reflect.TypeFor[usernameLink]():               "UsernameLink",
	reflect.TypeFor[phoneLink]():                  "PhoneLink",
	reflect.TypeFor[bsuidValidation]():            "BsuidValidation",
	reflect.TypeFor[bsuidParse]():                 "BsuidParse",
	reflect.TypeFor[businessUsernameValidation](): "BusinessUsernameValidation",
	reflect.TypeFor[busname.Reason]():             "UsernameReason",
	reflect.TypeFor[resolvedContact]():            "ResolvedContact",
	reflect.TypeFor[contact.Type]():               "ContactType",
	reflect.TypeFor[normalizedWebhook]():          "NormalizedWebhook",
	reflect.TypeFor[event]():                      "Event",
	reflect.TypeFor[webhooknorm.Kind]():           "EventKind",
}

// schemaOf returns a reference to the schema of T.
func schemaOf[T any]() schema { return schemaOfType(reflect.TypeFor[T]()) }

func schemaOfType(t reflect.Type) schema {
	if name, ok := schemaNames[t]; ok {
		return refTo(name)
	}
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return schema{}
	case t == reflect.TypeFor[null]():
		return schema{"type": "null"}
	case t.Kind() == reflect.Pointer:
		return schema{"type": []string{t.Elem().Kind().String(), "null"}}
	case t.Kind() == reflect.Slice:
		return schema{"type": "array", "items": schemaOfType(t.Elem())}
	case t.Kind() == reflect.Bool:
		return schema{"type": "boolean"}
	case t.Kind() == reflect.String:
		return schema{"type": "string"}
	default:
		panic(fmt.Sprintf("httpapi: type %v has no schema", t))
	}
}

// schemas returns the named schemas: those of the types of wire.go, of the words that
// they hold, and of bodies.
func schemas() map[string]schema {
	all := map[string]schema{
		"ErrorCode":     enum("A stable code for programs. New codes may be added.", allErrorCodes()),
		"ErrorItemCode": enum("A stable code of a problem with a value. New codes may be added.", verdictCodes()),
		"WarningItemCode": enum("A stable code of a warning about a valid value. New codes may be added.", []problem.Code{
			phone.CodeImpossibleLength, phone.CodeMissingPlus, phone.CodeUnassignedCountry, phone.CodeUnassignedPrefix,
		}),
		"UsernameReason":  enum("A stable code of a problem with a username that a business wants to claim. New reasons may be added.", busname.AllReasons()),
		"ContactType":     enum("The kind of the identifier.", []contact.Type{contact.TypeBSUID, contact.TypePhone, contact.TypeUsername}),
		"EventKind":       enum("The array that the event comes from.", []webhooknorm.Kind{webhooknorm.KindMessage, webhooknorm.KindStatus}),
		"WebhookPayload":  webhookSchema,
		"OpenAPIDocument": documentSchema,
	}
	for t, name := range schemaNames {
		if t.Kind() == reflect.Struct {
			all[name] = objectOf(t)
		}
	}
	for i := range routes {
		if b := routes[i].body; b != nil && b.fields != nil {
			all[b.schema] = b.objectSchema()
		}
	}
	return all
}

// objectOf returns the schema of a response. It has the members of the struct, all of
// them unless they are omitted if empty, and no others.
func objectOf(t reflect.Type) schema {
	properties, required := schema{}, []string{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, option, _ := strings.Cut(field.Tag.Get("json"), ",")
		property := maps.Clone(schemaOfType(field.Type))
		for keyword, tag := range map[string]string{"description": "doc", "format": "format", "pattern": "pattern", "const": "const"} {
			if value := field.Tag.Get(tag); value != "" {
				property[keyword] = value
			}
		}
		properties[name] = property
		if option != "omitempty" {
			required = append(required, name)
		}
	}
	slices.Sort(required)
	return schema{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

// objectSchema returns the schema of a body with fields. An optional field may be null.
func (b *body) objectSchema() schema {
	properties, required := schema{}, []string{}
	for _, d := range b.fields {
		property := maps.Clone(d.schema)
		property["description"] = d.description
		if d.required {
			required = append(required, d.name)
		} else {
			property["type"] = []string{"string", "null"}
		}
		properties[d.name] = property
	}
	s := schema{"type": "object", "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

func enum[T any](description string, values []T) schema {
	return schema{"type": "string", "description": description, "enum": values}
}

// allErrorCodes returns every code that an Error can have, sorted.
func allErrorCodes() []problem.Code {
	codes := map[problem.Code]bool{}
	for _, code := range shared {
		codes[code] = true
	}
	for i := range routes {
		for _, code := range routes[i].allCodes() {
			codes[code] = true
		}
	}
	return slices.Sorted(maps.Keys(codes))
}

// verdictCodes returns every code that an item of Validation.errors can have, sorted.
func verdictCodes() []problem.Code {
	codes := append(slices.Clone(usernameCodes), chatlink.CodeInvalidKey, phone.CodeInvalid)
	slices.Sort(codes)
	return codes
}

// anyObject returns the schema of an object of a foreign format with these properties
// among others.
func anyObject(description string, properties schema) schema {
	return schema{"type": "object", "description": description, "properties": properties, "additionalProperties": true}
}

func arrayOf(items schema) schema { return schema{"type": "array", "items": items} }

// webhookSchema gives a type to what is read and leaves open what is not.
var webhookSchema = anyObject(
	"A webhook as the platform posts it, or the bare value of a change. It must have one of entry, messages, statuses and contacts; everything else is optional.",
	schema{
		"object": schema{"description": "The kind of account, such as whatsapp_business_account."},
		"entry": arrayOf(anyObject("The changes of one account.", schema{
			"id": schema{"description": "The account."},
			"changes": arrayOf(anyObject("One change.", schema{
				"field": schema{"description": "The subscription, such as messages."},
				"value": anyObject("The messages, statuses and contacts of the change.", schema{}),
			})),
		})),
		"messages": schema{"description": "The messages of a bare value."},
		"statuses": schema{"description": "The statuses of a bare value."},
		"contacts": schema{"description": "The people of a bare value."},
	},
)

var documentSchema = withRequired(anyObject("An OpenAPI 3.1 document.", schema{
	"openapi": schema{"type": "string", "const": "3.1.0"},
	"info": withRequired(anyObject("About the API.", schema{
		"title":   schema{"type": "string"},
		"version": schema{"type": "string"},
	}), "title", "version"),
	"paths":      anyObject("The operations by path.", schema{}),
	"components": anyObject("The shared parts.", schema{}),
}), "openapi", "info", "paths", "components")

// withRequired adds to an object which of its properties are required.
func withRequired(s schema, names ...string) schema {
	s["required"] = names
	return s
}
