//go:build !unix

package outfile

import (
	"io/fs"
	"os"
)

// Other systems have no locks that end with the process, so leftovers stay.
func lock(string) *os.File { return nil }

func inode(fs.FileInfo) string { return "" }
