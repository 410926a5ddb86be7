package httpapi

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"slices"
)

// openapi is the OpenAPI document with all routes.
//
//go:embed openapi.json
var openapi []byte

// describe returns the document without unselected routes as a response.
func describe(base baseURL, routes map[string]*route) (resp response, err error) {
	var doc map[string]any
	if err := json.Unmarshal(openapi, &doc); err != nil {
		return resp, err
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
	resp = response{contentType: mediaJSON, cache: cacheJSON}
	if resp.body, err = json.MarshalIndent(doc, "", "  "); err != nil {
		return resp, err
	}
	var compressed bytes.Buffer
	w := gzip.NewWriter(&compressed)
	_, _ = w.Write(resp.body) // a buffer never fails
	_ = w.Close()
	resp.gzip = compressed.Bytes()
	return resp, nil
}
