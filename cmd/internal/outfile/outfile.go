// Package outfile opens the files of a command. Nothing else in the commands opens a file
// for writing, so no command can destroy a file:
//
//   - An output is a temporary file next to its target until [Files.Commit]. A command that
//     fails or is interrupted leaves neither a partial output nor a changed file.
//   - An output is never an input, whatever its name: links and second names are recognized.
//   - An existing file is replaced only with [Files.Force].
//   - Two outputs are never the same file.
//
// Devices, pipes and the standard output are written to directly.
package outfile

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Files are the inputs and outputs of one run of a command.
type Files struct {
	Stdin  io.Reader
	Stdout io.Writer
	Force  bool // replace existing files

	mu      sync.RWMutex // held for writing while outputs are committed or removed
	inputs  []fs.FileInfo
	pipes   []fs.FileInfo // that are outputs
	outputs []*output
	folders []*Folder
	signals chan os.Signal
	closed  bool
}

// A ConflictError reports one file for two purposes, which is an error in the command line.
type ConflictError struct{ message string }

func (e *ConflictError) Error() string { return e.message }

func conflict(format string, args ...any) error {
	return &ConflictError{fmt.Sprintf(format, args...)}
}

// errExists is the error for a file that isn't replaced.
func errExists(name string) error {
	return fmt.Errorf("%s exists already; use --force to replace it", name)
}

// prefix begins the names of temporary files.
const prefix = ".hailmark-"

// An output is a file that is not complete yet.
type output struct {
	*bufio.Writer
	name   string   // as given by the user
	file   *os.File // nil for the standard output
	target string   // the absolute name without symbolic links, or "" if file isn't temporary
}

// Open opens an input. "-" is the standard input.
func (f *Files) Open(name string) (io.ReadCloser, error) {
	if name == "-" {
		if file, ok := f.Stdin.(*os.File); ok {
			if err := f.addInput("the standard input", file); err != nil {
				return nil, err
			}
		}
		return io.NopCloser(f.Stdin), nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if err := f.addInput(name, file); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// addInput makes sure that no output is this file.
func (f *Files) addInput(name string, file *os.File) error {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	if isFile(f.Stdout, info) {
		return conflict("%s is also the standard output", name)
	}
	f.inputs = append(f.inputs, info)
	return nil
}

// OpenSeekable opens an input that is read more than once. It copies the standard input and
// pipes to a temporary file, which disappears when it's closed.
func (f *Files) OpenSeekable(name string) (io.ReadSeekCloser, error) {
	in, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	if file, ok := in.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			return file, nil
		}
	}
	defer in.Close()
	copied, err := os.CreateTemp("", prefix)
	if err != nil {
		return nil, err
	}
	// An open file needs no name, except on Windows.
	t := unnamed{copied, os.Remove(copied.Name()) != nil}
	if _, err = io.Copy(copied, in); err == nil {
		_, err = copied.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("copy %s: %w", name, cause(err)), t.Close())
	}
	return t, nil
}

// An unnamed is a temporary file, which may still have a name.
type unnamed struct {
	*os.File
	named bool
}

func (t unnamed) Close() error {
	err := t.File.Close()
	if t.named {
		err = errors.Join(err, os.Remove(t.Name()))
	}
	return err
}

// Create opens an output, which is complete after [Files.Commit]. "-" is the standard output.
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
		return f.direct(name, f.Stdout, nil) // even if it's a regular file, as in > codes.csv
	case !info.Mode().IsRegular():
		if contains(f.pipes, info) {
			return nil, conflict("two outputs are %s", name)
		}
		file, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		if info.Mode()&fs.ModeDevice == 0 { // several outputs may be /dev/null
			f.pipes = append(f.pipes, info)
		}
		return f.direct(name, file, file)
	case isFile(f.Stdout, info):
		return nil, conflict("%s is also the standard output", name)
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

// mayReplace returns an error if an output must not replace an existing file.
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

// createNew opens an output that replaces no file.
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

// resolve returns the absolute name of an existing file, without symbolic links. It follows
// links first, because package filepath would remove the link from "link/../file", which then
// is another file.
func resolve(name string) (string, error) {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(name)
}

// temporary opens a temporary file that becomes the target. Mode 0 is that of a new file.
func (f *Files) temporary(name, target string, mode fs.FileMode) (io.Writer, error) {
	for _, o := range f.outputs {
		if o.target == target {
			return nil, conflict("%s and %s are the same file", o.name, name)
		}
	}
	f.removeOnSignal()
	f.mu.Lock() // so that a signal finds either no file or its name
	defer f.mu.Unlock()
	file, err := create(filepath.Join(filepath.Dir(target), prefix+rand.Text()))
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", name, cause(err))
	}
	o := &output{buffered(name, file), name, file, target}
	f.outputs = append(f.outputs, o)
	if mode != 0 {
		err = file.Chmod(mode)
	}
	return o, err
}

// create creates a file. No other call opens a file for writing, except for devices.
func create(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// direct opens an output that isn't a regular file.
func (f *Files) direct(name string, w io.Writer, file *os.File) (io.Writer, error) {
	if file == nil && f.WritesToStdout() {
		return nil, conflict("two outputs are the standard output")
	}
	o := &output{buffered(name, w), name, file, ""}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.outputs = append(f.outputs, o)
	return o, nil
}

// A named writer has errors with the name that the user gave.
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

// WritesToStdout reports whether an output is the standard output.
func (f *Files) WritesToStdout() bool {
	return slices.ContainsFunc(f.outputs, func(o *output) bool { return o.file == nil })
}

// A Folder is a folder of outputs.
type Folder struct {
	files *Files
	name  string // as given by the user
	// Both are absolute, without symbolic links.
	target string
	inner  string   // the folder of the temporary files
	made   []string // the folders that didn't exist, innermost first
}

// Folder opens a folder of outputs, and creates it if it doesn't exist. Without
// [Files.Force] it must be empty, except for hidden files.
func (f *Files) Folder(name string) (*Folder, error) {
	folder := &Folder{files: f, name: name}
	for dir := name; dir != ""; dir = parent(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		folder.made = append(folder.made, dir)
	}
	f.removeOnSignal()
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
	inner := filepath.Join(target, prefix+rand.Text())
	f.mu.Lock() // so that a signal finds either no folder or its name
	defer f.mu.Unlock()
	if err := os.Mkdir(inner, 0o777); err != nil {
		return nil, fmt.Errorf("create files in %s: %w", name, cause(err))
	}
	folder.target, folder.inner = target, inner
	return folder, nil
}

// parent returns a name without its last element. Unlike [filepath.Dir], it keeps "..".
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

// mayFill returns an error if the folder must be empty and isn't.
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

// WriteFile writes a whole file with a name that has no separators. It is safe for
// concurrent use. The error doesn't contain the name.
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

// Commit completes the outputs. After an error, the outputs that aren't complete are removed.
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

// publish gives all outputs their names. It checks all of them first, so that a conflict
// changes nothing.
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
		if err := f.check(o.file.Name(), o.target, o.name); err != nil {
			return err
		}
	}
	for _, d := range f.folders {
		// Some file systems skip names while others are removed.
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
		// On some systems, names that differ in case are one file.
		if earlier, err := os.Lstat(o.target); err == nil && contains(published, earlier) {
			return conflict("%s is the same file as another output", o.name)
		}
		if err := f.rename(o.file.Name(), o.target, o.name); err != nil {
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

// each calls do for each file of the inner folder, and returns their number.
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

// check returns an error if a target exists and must not be replaced. Otherwise, the temporary
// file gets the permissions of the target.
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

// rename gives a temporary file its name.
func (f *Files) rename(temporary, target, name string) error {
	if !f.Force {
		// A link doesn't replace a file that somebody else has created in the meantime.
		err := os.Link(temporary, target)
		if errors.Is(err, fs.ErrExist) {
			return errExists(name)
		}
		if err == nil {
			return os.Remove(temporary)
		}
		// The file system has no hard links.
	}
	if err := os.Rename(temporary, target); err != nil {
		return fmt.Errorf("create %s: %w", name, cause(err))
	}
	return nil
}

// Abort removes the outputs that aren't complete.
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

// remove removes everything that Commit has not given its name.
func (f *Files) remove() error {
	f.closed = true
	var errs []error
	for _, o := range f.outputs {
		if o.target != "" {
			if err := os.Remove(o.file.Name()); !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	for _, d := range f.folders {
		if d.inner != "" {
			errs = append(errs, os.RemoveAll(d.inner))
		}
		for _, dir := range d.made {
			_ = os.Remove(dir) // unless it has files
		}
	}
	f.outputs, f.folders = nil, nil
	if f.signals != nil {
		signal.Stop(f.signals)
		close(f.signals)
		f.signals = nil
	}
	return errors.Join(errs...)
}

// removeOnSignal removes the outputs if a user, the system or a closed pipe ends the program.
func (f *Files) removeOnSignal() {
	if f.signals != nil {
		return
	}
	signals := make(chan os.Signal, 1)
	f.signals = signals
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGPIPE} {
		if !signal.Ignored(s) { // nohup ignores SIGHUP, so that the program continues
			signal.Notify(signals, s)
		}
	}
	go func() {
		if _, signaled := <-signals; signaled {
			f.mu.Lock() // until the program ends, so that no file is created anymore
			f.signals = nil
			_ = f.remove()
			os.Exit(1)
		}
	}()
}

// isFile reports whether a writer is a file or a pipe. Several outputs may be one device.
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

// cause returns an error without the names of files, which may be personal data or random.
func cause(err error) error {
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		return errno
	}
	return err
}
