package httpapi

import (
	_ "embed"
	"encoding/json"
	"slices"

	"github.com/hailmark/hailmark/internal/service"
)

// openapi is the OpenAPI document with all routes.
//
//go:embed openapi.json
var openapi []byte

// describe returns the document without unselected routes.
func describe(base service.BaseURL, routes map[string]*route) ([]byte, error) {
	var doc map[string]any
	if err := json.Unmarshal(openapi, &doc); err != nil {
		return nil, err
	}
	doc["servers"] = []any{map[string]any{"url": base.String()}}
	paths, used := doc["paths"].(map[string]any), map[any]bool{}
	for path, methods := range paths {
		if routes[path] == nil {
			delete(paths, path)
			continue
		}
		for _, operation := range methods.(map[string]any) {
			used[operation.(map[string]any)["tags"].([]any)[0]] = true
		}
	}
	doc["tags"] = slices.DeleteFunc(doc["tags"].([]any), func(tag any) bool { return !used[tag.(map[string]any)["name"]] })
	return json.MarshalIndent(doc, "", "  ")
}
