package e2e_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/oapi-codegen/runtime" // the generated client imports it
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

// clientOutput is what a client prints that calls every endpoint with good and bad input.
const clientOutput = `getUsernameLink 200 https://wa.me/jane.doe?text=Hi%20there
getUsernameLink 400 username_length
getPhoneLink 200 https://wa.me/16505551234
validatePhone 200 true
getPhoneLink 400 phone_invalid_format
validatePhone 200 phone_invalid_format
validateUsername 200 true
validateBusinessUsername 200 true
validateUsername 200 username_invalid_chars
validateBusinessUsername 200 uppercase_letter
validateKey 200 true
validateKey 200 key_invalid_format
getQR 200 image/png true
getQR 200 image/svg+xml true
getQR 400 missing_target
getOpenAPI 200 3.1.0 Hailmark
validateBsuid 200 true
parseBsuid 200 US 1
validateBsuid 200 false
parseBsuid 400 invalid_bsuid
resolveContact 200 phone 16505551234 null
resolveContact 400 missing_identifier
normalizeWebhook 200 message US.1
normalizeWebhook 422 webhook_unrecognized_shape
getOpenAPI 404 not_found
`

// Clients that are generated from the document compile, and get from every endpoint the
// types that they expect.
func TestGeneratedClients(t *testing.T) {
	testenv.Slow(t)
	t.Run("openapi-fetch", func(t *testing.T) {
		dir := newClient(t, "openapi-fetch")
		needsNode(t, "openapi-typescript")
		dir.node("generate.mjs", documentFile(t), "hailmark.d.ts")
		dir.requireOutputOfMain()
	})
	t.Run("hey-api", func(t *testing.T) {
		dir := newClient(t, "hey-api")
		run(t, needsNode(t, "openapi-ts"), "--input", documentFile(t), "--output", filepath.Join(dir.path, "hailmark"), "--client", "@hey-api/client-fetch", "--silent")
		dir.requireOutputOfMain()
	})
	t.Run("oapi-codegen", func(t *testing.T) {
		dir := newClient(t, "oapi-codegen")
		require.NoError(t, os.Mkdir(filepath.Join(dir.path, "hailmark"), 0o700))
		run(t, "go", "tool", "oapi-codegen", "-generate", "types,client", "-package", "hailmark",
			"-o", filepath.Join(dir.path, "hailmark", "client.go"), documentFile(t))

		// The module of the client has the versions of this one.
		for _, name := range []string{"go.mod", "go.sum"} {
			content, err := os.ReadFile(filepath.Join("..", name))
			require.NoError(t, err)
			dir.write(name, string(content))
		}
		c := consumer{t, dir.path}
		c.run("mod", "edit", "-module=client", "-droprequire=github.com/hailmark/hailmark", "-droprequire=github.com/hailmark/hailmark/contact/identity",
			"-droprequire=github.com/hailmark/hailmark/qrcode/qrprint", "-droptool=github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen")
		c.run("mod", "tidy")
		require.Equal(t, clientOutput, c.run("run", ".", serve(t, unlimited).URL))
	})
}

// A clientDir is a folder with a client of testdata/clients and what is generated for it.
type clientDir struct {
	t    *testing.T
	path string
}

func newClient(t *testing.T, name string) clientDir {
	t.Helper()
	d := clientDir{t, t.TempDir()}
	modules, err := filepath.Abs("node_modules")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(modules, filepath.Join(d.path, "node_modules")))
	source := os.DirFS(filepath.Join("testdata", "clients", name))
	require.NoError(t, fs.WalkDir(source, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(source, name)
		d.write(name, string(content))
		return err
	}))
	return d
}

func (d clientDir) write(name, content string) {
	d.t.Helper()
	require.NoError(d.t, os.WriteFile(filepath.Join(d.path, name), []byte(content), 0o600))
}

// node runs a script of the folder with the packages of this module.
func (d clientDir) node(script string, args ...string) string {
	d.t.Helper()
	return string(runInDir(d.t, d.path, testenv.Needs(d.t, "node", "Debian package nodejs"), append([]string{script}, args...)...))
}

// requireOutputOfMain compiles the TypeScript of the folder and runs main.
func (d clientDir) requireOutputOfMain() {
	d.t.Helper()
	tsc, err := filepath.Abs(needsNode(d.t, "tsc"))
	require.NoError(d.t, err)
	sources, err := filepath.Glob(filepath.Join(d.path, "*.ts"))
	require.NoError(d.t, err)
	args := []string{"--strict", "--esModuleInterop", "--target", "es2022", "--lib", "es2022,dom,dom.iterable", "--module", "node16", "--outDir", "out"}
	runInDir(d.t, d.path, tsc, append(args, sources...)...)
	require.Equal(d.t, clientOutput, d.node(filepath.Join("out", "main.js"), serve(d.t, unlimited).URL))
}
