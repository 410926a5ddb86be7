// Package outfile opens a command's files. No other package in the commands writes files, so
// it can guarantee that no command destroys a file:
//
//   - An output is a temporary file next to its target until [Files.Commit]. A command that
//     fails or is interrupted leaves neither a partial output nor a changed file. If it's killed,
//     the next command that writes to the same folder removes what it left, and nothing else.
//   - An output is never an input, whatever its name: links and second names are recognized.
//   - An existing file is replaced only with [Files.Force].
//   - Two outputs are never the same file.
//
// Devices, pipes and standard output are written directly.
package outfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Files contains the inputs and outputs for one run.
type Files struct {
	Stdin  io.Reader
	Stdout io.Writer
	Force  bool // replace existing files

	// Exit, if not nil, ends the program after a signal, when the outputs have been removed.
	Exit func(os.Signal)

	mu      sync.RWMutex // write-locked while outputs are committed or removed
	inputs  []fs.FileInfo
	pipes   []fs.FileInfo // used as outputs
	outputs []*output
	folders []*Folder
	signals chan os.Signal
	closed  bool
}

// A ConflictError reports a file used twice, which indicates an invalid command line.
type ConflictError struct{ message string }

func (e *ConflictError) Error() string { return e.message }

func conflict(format string, args ...any) error {
	return &ConflictError{fmt.Sprintf(format, args...)}
}

// errExists reports a file that shouldn't be replaced.
func errExists(name string) error {
	return fmt.Errorf("%s exists already; use --force to replace it", name)
}

// An output is an incomplete file.
type output struct {
	*bufio.Writer
	name      string   // specified by the user
	file      *os.File // nil for standard output
	target    string   // the resolved name, or "" if file isn't temporary
	temporary string   // the name until then
	lock      *os.File // of the temporary file, or nil
}

// Create opens an output, which [Files.Commit] completes. "-" is standard output.
func (f *Files) Create(name string) (io.Writer, error) {
	if name == "-" {
		return f.direct(name, f.Stdout, nil)
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f.createNew(name)
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("create %s: is a directory", name)
	case isFile(f.Stdout, info) && (strings.HasPrefix(name, "/dev/") || strings.HasPrefix(name, "/proc/")):
		return f.direct(name, f.Stdout, nil) // for example, with > codes.csv
	case !info.Mode().IsRegular():
		if contains(f.pipes, info) {
			return nil, conflict("two outputs are %s", name)
		}
		file, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		if info.Mode()&fs.ModeDevice == 0 { // /dev/null may be used twice
			f.pipes = append(f.pipes, info)
		}
		return f.direct(name, file, file)
	case isFile(f.Stdout, info):
		return nil, conflict("%s is also standard output", name)
	}
	if err := f.mayReplace(name, info); err != nil {
		return nil, err
	}
	target, err := resolve(name)
	if err != nil {
		return nil, err
	}
	return f.temporary(name, target, info.Mode().Perm())
}

// mayReplace returns an error if an output shouldn't replace a file.
func (f *Files) mayReplace(name string, info fs.FileInfo) error {
	switch {
	case contains(f.inputs, info):
		return conflict("%s is also an input", name)
	case !f.Force:
		return errExists(name)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s isn't a regular file", name)
	case info.Mode().Perm()&0o200 == 0:
		return fmt.Errorf("%s is read-only", name)
	}
	return nil
}

// createNew opens an output for a new file.
func (f *Files) createNew(name string) (io.Writer, error) {
	if _, err := os.Lstat(name); err == nil {
		return nil, fmt.Errorf("%s is a symbolic link to a missing file", name)
	}
	dir, base := filepath.Split(name)
	if base == "" {
		return nil, fmt.Errorf("create %s: is the name of a folder", name)
	}
	dir, err := resolve(dir)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", name, cause(err))
	}
	return f.temporary(name, filepath.Join(dir, base), 0)
}

// resolve returns an existing file's absolute name without symbolic links. It follows links
// first, because filepath.Abs would turn "link/../file" into a different file.
func resolve(name string) (string, error) {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(name)
}

// temporary opens a temporary file that becomes the target. If mode is 0, it keeps the mode
// for new files.
func (f *Files) temporary(name, target string, mode fs.FileMode) (io.Writer, error) {
	f.RemoveOnSignal()
	f.mu.Lock() // so that a signal finds either no file or its name
	defer f.mu.Unlock()
	for _, o := range f.outputs {
		if o.target == target {
			return nil, conflict("%s and %s are the same file", o.name, name)
		}
	}
	f.removeLeftovers(filepath.Dir(target))
	var file *os.File
	temporary, locked, err := createTemporary(filepath.Dir(target), func(name string) (err error) {
		file, err = create(name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", name, cause(err))
	}
	o := &output{buffered(name, file), name, file, target, temporary, locked}
	f.outputs = append(f.outputs, o)
	if mode != 0 {
		err = file.Chmod(mode)
	}
	return o, err
}

// create creates a file. No other function opens regular files for writing.
func create(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// direct opens an output other than a regular file.
func (f *Files) direct(name string, w io.Writer, file *os.File) (io.Writer, error) {
	if file == nil && f.WritesToStdout() {
		return nil, conflict("two outputs are standard output")
	}
	o := &output{Writer: buffered(name, w), name: name, file: file}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.outputs = append(f.outputs, o)
	return o, nil
}

// A named writer adds the user's name for the file to errors.
type named struct {
	io.Writer
	name string
}

func (n named) Write(p []byte) (int, error) {
	written, err := n.Writer.Write(p)
	if err != nil {
		if n.name == "-" {
			n.name = "standard output"
		}
		err = fmt.Errorf("write %s: %w", n.name, cause(err))
	}
	return written, err
}

func buffered(name string, w io.Writer) *bufio.Writer {
	return bufio.NewWriterSize(named{w, name}, 64<<10)
}

// WritesToStdout reports whether standard output is an output.
func (f *Files) WritesToStdout() bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return slices.ContainsFunc(f.outputs, func(o *output) bool { return o.file == nil })
}

// Commit completes the outputs. If it fails, it removes incomplete ones.
func (f *Files) Commit() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, o := range f.outputs {
		errs = append(errs, o.Flush())
		if o.file != nil {
			errs = append(errs, o.file.Close())
		}
	}
	err := errors.Join(errs...)
	if err == nil {
		err = f.publish()
	}
	return errors.Join(err, f.remove())
}

// publish renames all outputs. To prevent partial changes, it checks for conflicts first.
func (f *Files) publish() error {
	for _, d := range f.folders {
		if err := d.mayFill(); err != nil {
			return err
		}
		if !f.Force {
			continue // no target exists
		}
		if _, err := d.each(f.check); err != nil {
			return err
		}
	}
	for _, o := range f.outputs {
		if o.target == "" {
			continue
		}
		if err := f.check(o.temporary, o.target, o.name); err != nil {
			return err
		}
	}
	for _, d := range f.folders {
		// The loop is needed because some file systems skip names while others are removed.
		for renamed := 1; renamed > 0; {
			var err error
			if renamed, err = d.each(f.rename); err != nil {
				return err
			}
		}
	}
	var published []fs.FileInfo
	for _, o := range f.outputs {
		if o.target == "" {
			continue
		}
		// On some systems, names that differ in case refer to the same file.
		if earlier, err := os.Lstat(o.target); err == nil && contains(published, earlier) {
			return conflict("%s is the same file as another output", o.name)
		}
		if err := f.rename(o.temporary, o.target, o.name); err != nil {
			return err
		}
		info, err := os.Lstat(o.target)
		if err != nil {
			return err
		}
		published = append(published, info)
	}
	return nil
}

// check returns an error if a target shouldn't be replaced. Otherwise, it copies the target's
// permissions.
func (f *Files) check(temporary, target, name string) error {
	info, err := os.Stat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = f.mayReplace(name, info)
	}
	if err != nil {
		return err
	}
	return cause(os.Chmod(temporary, info.Mode().Perm()))
}

// rename renames a temporary file to its target.
func (f *Files) rename(temporary, target, name string) error {
	if !f.Force {
		// Unlike a rename, a link fails if another process created the target in the meantime.
		err := os.Link(temporary, target)
		if errors.Is(err, fs.ErrExist) {
			return errExists(name)
		}
		if err == nil {
			return os.Remove(temporary)
		}
	}
	if err := os.Rename(temporary, target); err != nil {
		return fmt.Errorf("create %s: %w", name, cause(err))
	}
	return nil
}

// Abort removes incomplete outputs.
func (f *Files) Abort() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, o := range f.outputs {
		if o.file != nil {
			o.file.Close()
		}
	}
	return f.remove()
}

// remove removes all files that Commit hasn't renamed.
func (f *Files) remove() error {
	f.closed = true
	var errs []error
	for _, o := range f.outputs {
		_ = o.lock.Close() // nil is allowed
		if o.target != "" {
			if err := os.Remove(o.temporary); !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	for _, d := range f.folders {
		_ = d.lock.Close() // nil is allowed
		if d.inner != "" {
			errs = append(errs, os.RemoveAll(d.inner))
		}
		for _, dir := range d.made {
			_ = os.Remove(dir) // unless it has files
		}
	}
	f.outputs, f.folders = nil, nil
	f.ignoreSignals()
	return errors.Join(errs...)
}

// isFile reports whether w is the file. Devices are excluded, because several outputs may
// share one.
func isFile(w io.Writer, info fs.FileInfo) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	own, err := file.Stat()
	return err == nil && info.Mode()&fs.ModeDevice == 0 && os.SameFile(own, info)
}

func contains(list []fs.FileInfo, info fs.FileInfo) bool {
	return slices.ContainsFunc(list, func(other fs.FileInfo) bool { return os.SameFile(other, info) })
}

// cause drops file names from an error, because they may contain personal data.
func cause(err error) error {
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		return errno
	}
	return err
}
