package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// counter counts the bytes that are written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// The module zip is what "go get" downloads. Commands, documents, test data and large packages
// of few users belong in modules of their own.
func TestDownloadSize(t *testing.T) {
	var size counter
	require.NoError(t, zip.CreateFromDir(&size, module.Version{Path: root, Version: version}, "../../../.."))
	t.Logf("%d bytes", size)
	require.Less(t, int(size), 520_000)
	require.Greater(t, int(size), 200_000, "the library is in it")
}
