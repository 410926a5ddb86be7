// Package outfile opens a command's files. No other package in the commands writes files, so
// it can guarantee that no command destroys a file:
//
//   - An output is a temporary file next to its target until [Files.Commit]. A command that
//     fails or is interrupted leaves neither a partial output nor a changed file. If it's killed,
//     the next command that writes to the same folder removes what it left.
//   - An output is never an input, whatever its name: links and second names are recognized.
//   - An existing file is replaced only with [Files.Force].
//   - Two outputs are never the same file.
//
// Devices, pipes and standard output are written directly.
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

// prefix begins temporary names.
const prefix = ".hailmark-"

// An output is an incomplete file.
type output struct {
	*bufio.Writer
	name   string   // specified by the user
	file   *os.File // nil for standard output
	target string   // the resolved name, or "" if file isn't temporary
	lock   *os.File // of a temporary file, or nil
}

// Open opens an input. "-" is standard input.
func (f *Files) Open(name string) (io.ReadCloser, error) {
	if name == "-" {
		if file, ok := f.Stdin.(*os.File); ok {
			if err := f.addInput("standard input", file); err != nil {
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

// addInput checks that the input isn't an output.
func (f *Files) addInput(name string, file *os.File) error {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	if isFile(f.Stdout, info) {
		return conflict("%s is also standard output", name)
	}
	f.inputs = append(f.inputs, info)
	return nil
}

// OpenSeekable opens an input for repeated reading. It copies standard input and pipes to a
// temporary file, which disappears on Close.
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
	// An open file doesn't need a name, except on Windows.
	t := unnamed{copied, os.Remove(copied.Name()) != nil}
	if _, err = io.Copy(copied, in); err == nil {
		_, err = copied.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("copy %s: %w", name, cause(err)), t.Close())
	}
	return t, nil
}

// An unnamed is a temporary file, possibly without a name.
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
	removeLeftovers(filepath.Dir(target))
	var file *os.File
	_, locked, err := createLocked(filepath.Dir(target), func(name string) (err error) {
		file, err = create(name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", name, cause(err))
	}
	o := &output{buffered(name, file), name, file, target, locked}
	f.outputs = append(f.outputs, o)
	if mode != 0 {
		err = file.Chmod(mode)
	}
	return o, err
}

// createLocked creates a temporary file or folder in dir, and locks it.
func createLocked(dir string, create func(name string) error) (name string, locked *os.File, err error) {
	for {
		name = filepath.Join(dir, prefix+rand.Text())
		if err := create(name); err != nil {
			return "", nil, err
		}
		if locked, ok := lock(name); ok {
			return name, locked, nil
		}
	}
}

// removeLeftovers removes the temporary files of killed commands from a folder. Those that are still in
// use are locked. A failure isn't an error: other people's files may stay.
func removeLeftovers(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	length := len(prefix + rand.Text())
	for _, entry := range entries {
		name := entry.Name()
		if len(name) != length || !strings.HasPrefix(name, prefix) || !entry.IsDir() && !entry.Type().IsRegular() {
			continue
		}
		if locked, _ := lock(filepath.Join(dir, name)); locked != nil {
			_ = os.RemoveAll(filepath.Join(dir, name))
			_ = locked.Close()
		}
	}
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
	o := &output{buffered(name, w), name, file, "", nil}
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
	removeLeftovers(target)
	f.mu.Lock() // so that a signal finds either no folder or its name
	defer f.mu.Unlock()
	inner, locked, err := createLocked(target, func(name string) error { return os.Mkdir(name, 0o777) })
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
		if err := f.check(o.file.Name(), o.target, o.name); err != nil {
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
			if err := os.Remove(o.file.Name()); !errors.Is(err, fs.ErrNotExist) {
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
	if f.signals != nil {
		signal.Stop(f.signals)
		close(f.signals)
		f.signals = nil
	}
	return errors.Join(errs...)
}

// RemoveOnSignal removes the outputs if a signal or closed pipe ends the program. Functions that
// create files call it.
func (f *Files) RemoveOnSignal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.signals != nil {
		return
	}
	signals := make(chan os.Signal, 1)
	f.signals = signals
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGPIPE} {
		if !signal.Ignored(s) { // for example, nohup ignores SIGHUP
			signal.Notify(signals, s)
		}
	}
	go func() {
		if s, signaled := <-signals; signaled {
			f.mu.Lock() // held to the end, so that no more files are created
			f.signals = nil
			_ = f.remove()
			if f.Exit != nil {
				f.Exit(s)
			}
			os.Exit(1)
		}
	}()
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
