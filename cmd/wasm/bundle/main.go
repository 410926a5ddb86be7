// Command bundle bundles the page's scripts, and compresses them and the page's modules for the server.
// It copies the modules of the npm package. Run cmd/wasm/build instead.
//
//	bundle FOLDER
//	bundle FOLDER OUT    only the modules, which aren't compressed
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/evanw/esbuild/pkg/api"
)

// Folders, relative to cmd/wasm.
const (
	scripts = "../internal/page/assets"
	built   = "../internal/page/built"
)

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(folder string, out []string) error {
	modules := map[string][]byte{}
	for _, name := range []string{"core.wasm", "hailmark.wasm", "page.wasm"} {
		module, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		modules[name] = join(module)
	}
	if len(out) > 0 {
		var errs []error
		for name, module := range modules {
			errs = append(errs, update(filepath.Join(out[0], name), module))
		}
		return errors.Join(errs...)
	}
	errs := []error{
		update("npm/core.wasm", modules["core.wasm"]),
		update("npm/hailmark.wasm", modules["hailmark.wasm"]),
		// Level 11 takes ten times as long, so only what a browser needs for the first code has it.
		compress("core.wasm", modules["core.wasm"], 11),
		compress("page.wasm", modules["page.wasm"], 9),
	}
	for _, name := range []string{"app.js", "worker.js"} {
		script, err := bundle(name)
		errs = append(errs, err, compress(name, script, 11))
	}
	return errors.Join(errs...)
}

// bundle returns a script including its imports.
func bundle(name string) ([]byte, error) {
	result := api.Build(api.BuildOptions{
		EntryPoints:       []string{filepath.Join(scripts, name)},
		Bundle:            true,
		Format:            api.FormatESModule,
		Target:            api.ES2022,
		Charset:           api.CharsetUTF8,
		MinifyWhitespace:  true,
		MinifySyntax:      true,
		MinifyIdentifiers: true,
		LogLevel:          api.LogLevelWarning,
	})
	if len(result.Errors) > 0 || len(result.Warnings) > 0 {
		return nil, fmt.Errorf("%s can't be bundled", name) // esbuild has reported why
	}
	return result.OutputFiles[0].Contents, nil
}

// compress writes a file for the page, unless it exists with the same content.
func compress(name string, content []byte, level int) error {
	name = filepath.Join(built, name+".br")
	if old, err := os.Open(name); err == nil {
		defer old.Close()
		if same, err := io.ReadAll(brotli.NewReader(old)); err == nil && bytes.Equal(same, content) {
			return nil
		}
	}
	var b bytes.Buffer
	w := brotli.NewWriterLevel(&b, level)
	_, err := w.Write(content)
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	fmt.Printf("%s: %d bytes, %d with brotli\n", strings.TrimSuffix(filepath.Base(name), ".br"), len(content), b.Len())
	return os.WriteFile(name, b.Bytes(), 0o644)
}

// update doesn't write an unchanged file, so that its dependents aren't rebuilt.
func update(name string, content []byte) error {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, content) {
		return nil
	}
	return os.WriteFile(name, content, 0o644)
}
