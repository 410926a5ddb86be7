package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Folder is an output folder.
type Folder struct {
	files  *Files
	name   string // specified by the user
	target string
	inner  string   // contains the temporary files
	lock   *os.File // of inner, or nil
	made   []string // new folders, innermost first
}

// Folder opens or creates an output folder. Without [Files.Force], an existing folder may
// contain only hidden files.
func (f *Files) Folder(name string) (*Folder, error) {
	folder := &Folder{files: f, name: name}
	for dir := name; dir != ""; dir = parent(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		folder.made = append(folder.made, dir)
	}
	f.RemoveOnSignal()
	f.mu.Lock()
	f.folders = append(f.folders, folder)
	err := os.MkdirAll(name, 0o777)
	f.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if err := folder.mayFill(); err != nil {
		return nil, err
	}
	target, err := resolve(name)
	if err != nil {
		return nil, err
	}
	f.removeLeftovers(target)
	f.mu.Lock() // so that a signal finds either no folder or its name
	defer f.mu.Unlock()
	inner, locked, err := createTemporary(target, func(name string) error { return os.Mkdir(name, 0o777) })
	if err != nil {
		return nil, fmt.Errorf("create files in %s: %w", name, cause(err))
	}
	folder.target, folder.inner, folder.lock = target, inner, locked
	return folder, nil
}

// parent drops the last element. Unlike [filepath.Dir], it keeps "..".
func parent(name string) string {
	end := len(name)
	for end > 0 && os.IsPathSeparator(name[end-1]) {
		end--
	}
	for end > 0 && !os.IsPathSeparator(name[end-1]) {
		end--
	}
	return name[:end]
}

// mayFill returns an error for a non-empty folder without Force.
func (d *Folder) mayFill() error {
	if d.files.Force {
		return nil
	}
	entries, err := os.ReadDir(d.name)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), ".") {
			return fmt.Errorf("the folder %s isn't empty; use --force to add to it, and to replace files of the same name", d.name)
		}
	}
	return nil
}

// WriteFile writes a file. Its name can't contain separators. WriteFile is safe for concurrent
// use, and its error doesn't include the name.
func (d *Folder) WriteFile(name string, data []byte) error {
	d.files.mu.RLock()
	defer d.files.mu.RUnlock()
	if d.files.closed {
		return fs.ErrClosed
	}
	file, err := create(filepath.Join(d.inner, name))
	if err != nil {
		return cause(err)
	}
	_, err = file.Write(data)
	return cause(errors.Join(err, file.Close()))
}

// each calls do for each file in the inner folder and returns their number.
func (d *Folder) each(do func(temporary, target, name string) error) (n int, err error) {
	inner, err := os.Open(d.inner)
	if err != nil {
		return 0, err
	}
	defer inner.Close()
	for {
		names, err := inner.Readdirnames(1024)
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		for _, name := range names {
			n++
			if err := do(filepath.Join(d.inner, name), filepath.Join(d.target, name), filepath.Join(d.name, name)); err != nil {
				return n, err
			}
		}
	}
}
