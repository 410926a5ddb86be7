package outfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A temporary file or folder is called .hailmark-, random characters, - and its [inode]. A file of the
// user that has such a name, for example a copy of a leftover, has another inode, so it isn't taken
// for a leftover. If a command is killed before the name contains the inode, an empty file stays.
const prefix = ".hailmark-"

// createTemporary creates a file or folder in dir, and locks it for as long as the process uses it.
func createTemporary(dir string, create func(name string) error) (name string, locked *os.File, err error) {
	name = filepath.Join(dir, prefix+rand.Text())
	if err := create(name); err != nil {
		return "", nil, err
	}
	locked = lock(name)
	if locked == nil {
		return name, nil, nil // nobody takes it for a leftover
	}
	info, err := locked.Stat()
	marked := name
	if err == nil {
		marked += "-" + inode(info)
		err = os.Rename(name, marked)
	}
	if err != nil {
		return "", nil, errors.Join(err, locked.Close(), os.Remove(name))
	}
	return marked, locked, nil
}

// removeLeftovers removes the temporary files of killed commands from a folder. Those that are still in
// use are locked. A failure isn't an error: other people's files may stay.
func (f *Files) removeLeftovers(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		info, err := os.Lstat(name)
		if err != nil || !isTemporary(info) || contains(f.inputs, info) {
			continue
		}
		if locked := lock(name); locked != nil {
			if now, err := locked.Stat(); err == nil && os.SameFile(now, info) {
				_ = os.RemoveAll(name)
			}
			_ = locked.Close()
		}
	}
}

// isTemporary reports whether createTemporary has created a file.
func isTemporary(info fs.FileInfo) bool {
	random, id, _ := strings.Cut(strings.TrimPrefix(info.Name(), prefix), "-")
	return (info.IsDir() || info.Mode().IsRegular()) && strings.HasPrefix(info.Name(), prefix) &&
		len(random) == len(rand.Text()) && id != "" && id == inode(info)
}
