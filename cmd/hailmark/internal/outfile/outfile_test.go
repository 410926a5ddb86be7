package outfile

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	return name
}

// tree returns the content of all files below a folder. For links, that's "->" and the target.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		inner, _ := filepath.Rel(dir, name)
		if d.Type() == fs.ModeSymlink {
			target, err := os.Readlink(name)
			files[inner] = "->" + target
			return err
		}
		text, err := os.ReadFile(name)
		files[inner] = string(text)
		return err
	}))
	return files
}

func put(f *Files, name, text string) error {
	w, err := f.Create(name)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	return f.Commit()
}

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	f := &Files{}
	w, err := f.Create(name)
	require.NoError(t, err)
	_, err = io.WriteString(w, strings.Repeat("x", 100_000))
	require.NoError(t, err)
	require.NoFileExists(t, name, "the file gets its name when it is complete")
	require.NoError(t, f.Commit())
	require.Equal(t, map[string]string{"a": strings.Repeat("x", 100_000)}, tree(t, dir))

	require.EqualError(t, put(&Files{}, name, "new"), name+" exists already; use --force to replace it")
	require.NoError(t, os.Chmod(name, 0o640))
	require.NoError(t, put(&Files{Force: true}, name, "new"))
	require.Equal(t, map[string]string{"a": "new"}, tree(t, dir))
	info, err := os.Stat(name)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o640), info.Mode())

	require.NoError(t, os.Chmod(name, 0o440))
	require.EqualError(t, put(&Files{Force: true}, name, "x"), name+" is read-only")
	require.EqualError(t, put(&Files{Force: true}, dir, "x"), "create "+dir+": is a directory")
	missing := filepath.Join(dir, "missing", "a")
	require.EqualError(t, put(&Files{}, missing, "x"), "create "+missing+": no such file or directory")
	require.EqualError(t, put(&Files{}, dir+"/b/", "x"), "create "+dir+"/b/: is the name of a folder")
	require.Error(t, put(&Files{}, name+"/b", "x"), "a file is not a folder")
	require.Equal(t, map[string]string{"a": "new"}, tree(t, dir))
}

func TestAbort(t *testing.T) {
	dir := t.TempDir()
	name := write(t, filepath.Join(dir, "a"), "earlier")
	f := &Files{Force: true}
	w, err := f.Create(name)
	require.NoError(t, err)
	_, err = io.WriteString(w, "new")
	require.NoError(t, err)
	folder, err := f.Folder(filepath.Join(dir, "b", "c"))
	require.NoError(t, err)
	require.NoError(t, folder.WriteFile("d", nil))
	require.NoError(t, f.Abort())
	require.Equal(t, map[string]string{"a": "earlier"}, tree(t, dir))
	require.NoDirExists(t, filepath.Join(dir, "b"))
	require.ErrorIs(t, folder.WriteFile("e", nil), fs.ErrClosed)
	require.NoError(t, f.Commit(), "there is nothing left to commit")
}

// No output is an input, whatever their names and opening order.
func TestInputs(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "in", "input")
	require.NoError(t, os.Symlink("in", "symlink"))
	require.NoError(t, os.Symlink("symlink", "second"))
	require.NoError(t, os.Link("in", "hardlink"))
	require.NoError(t, os.Mkdir("sub", 0o755))
	require.NoError(t, os.Symlink(dir, filepath.Join("sub", "up")))
	before := tree(t, dir)
	names := []string{"in", "./in", "sub/../in", "sub/up/in", filepath.Join(dir, "in"), "symlink", "second", "hardlink"}
	if _, err := os.Stat("IN"); err == nil {
		names = append(names, "IN")
	}
	for _, in := range names {
		for _, out := range names {
			for _, force := range []bool{false, true} {
				for _, outFirst := range []bool{false, true} {
					f := &Files{Force: force}
					open := func() {
						file, err := f.Open(in)
						require.NoError(t, err)
						require.NoError(t, file.Close())
					}
					if !outFirst {
						open()
					}
					w, err := f.Create(out)
					if outFirst {
						open()
					}
					if err == nil {
						_, _ = io.WriteString(w, "destroyed")
						err = f.Commit()
					}
					require.Error(t, err)
					if !outFirst {
						require.ErrorAs(t, err, new(*ConflictError))
						require.EqualError(t, err, out+" is also an input")
					}
					require.NoError(t, f.Abort())
					require.Equal(t, before, tree(t, dir), "%s %s", in, out)
				}
			}
		}
	}
	stdin, err := os.Open("in")
	require.NoError(t, err)
	defer stdin.Close()
	f := &Files{Stdin: stdin, Force: true}
	_, err = f.Open("-")
	require.NoError(t, err)
	require.EqualError(t, put(f, "hardlink", "x"), "hardlink is also an input")
	folder, err := f.Folder("sub/up")
	require.NoError(t, err)
	require.NoError(t, folder.WriteFile("in", nil))
	require.EqualError(t, f.Commit(), "sub/up/in is also an input")
	require.Equal(t, before, tree(t, dir))
}

func TestTwoOutputs(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.Symlink(".", "here"))
	write(t, "old", "old")
	require.NoError(t, os.Symlink("old", "link"))
	for _, names := range [][2]string{{"a", "a"}, {"a", "./a"}, {"a", dir + "/a"}, {"here/a", "a"}, {"old", "link"}, {"-", "-"}} {
		f := &Files{Force: true, Stdout: io.Discard}
		_, err := f.Create(names[0])
		require.NoError(t, err)
		_, err = f.Create(names[1])
		require.ErrorAs(t, err, new(*ConflictError), names)
		require.NoError(t, f.Abort())
	}
	// Two hard links are separate names, so each output is a separate file.
	require.NoError(t, os.Link("old", "hardlink"))
	f := &Files{Force: true}
	for _, name := range []string{"old", "hardlink"} {
		w, err := f.Create(name)
		require.NoError(t, err)
		_, _ = io.WriteString(w, name)
	}
	require.NoError(t, f.Commit())
	require.Equal(t, map[string]string{"old": "old", "hardlink": "hardlink", "link": "->old", "here": "->."}, tree(t, dir))
	// The second name appears only after the first rename, like a name that differs in case on
	// some systems.
	f = &Files{Force: true}
	for _, name := range []string{"x", "y"} {
		_, err := f.Create(name)
		require.NoError(t, err)
	}
	f.outputs[1].target = f.outputs[0].target
	require.EqualError(t, f.Commit(), "y is the same file as another output")
	require.NotContains(t, tree(t, dir), "y")
}

// A link remains a link, and a dangling link isn't followed.
func TestSymlinks(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "old", "old")
	require.NoError(t, os.Symlink("old", "link"))
	require.NoError(t, os.Symlink("nothing", "dangling"))
	require.NoError(t, put(&Files{Force: true}, "link", "new"))
	require.EqualError(t, put(&Files{Force: true}, "dangling", "new"), "dangling is a symbolic link to a missing file")
	require.Equal(t, map[string]string{"old": "new", "link": "->old", "dangling": "->nothing"}, tree(t, dir))
}

// Like the system, Create resolves ".." after a link relative to the link's target.
func TestParentOfLink(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.MkdirAll("far/away", 0o755))
	require.NoError(t, os.MkdirAll("here/codes", 0o755))
	require.NoError(t, os.Symlink("../far/away", "here/link"))
	write(t, "far/a", "old")
	want := map[string]string{"here/link": "->../far/away", "far/a": "new", "far/b": "new", "far/codes/c": "c", "far/new/d": "d"}
	for _, name := range []string{"a", "b"} {
		want["here/"+name] = "precious"
		write(t, "here/"+name, "precious")
	}
	write(t, "here/codes/c", "precious")
	want["here/codes/c"] = "precious"
	t.Chdir("here")
	for _, name := range []string{"a", "b"} {
		require.NoError(t, put(&Files{Force: true}, "link/../"+name, "new"))
	}
	for folder, file := range map[string]string{"codes": "c", "new/": "d"} {
		f := &Files{}
		d, err := f.Folder("link/../" + folder)
		require.NoError(t, err)
		require.NoError(t, d.WriteFile(file, []byte(file)))
		require.NoError(t, f.Commit())
	}
	require.Equal(t, want, tree(t, dir))

	f := &Files{}
	_, err := f.Folder("x/../y//z/")
	require.NoError(t, err)
	require.DirExists(t, "x")
	require.NoError(t, f.Abort())
	require.NoDirExists(t, "x")
	require.NoDirExists(t, "y")
}

// Only files that a killed command left are removed: not those of the user that are called like them, nor
// links, inputs, and files of a command that still runs.
func TestLeftovers(t *testing.T) {
	if locked := lock(t.TempDir()); locked == nil {
		t.Skip("there are no locks")
	} else {
		require.NoError(t, locked.Close())
	}
	dir := t.TempDir()
	t.Chdir(dir)
	temporary := func(isFolder bool) (name string, locked *os.File) {
		name, locked, err := createTemporary(dir, func(name string) error {
			if isFolder {
				return os.Mkdir(name, 0o755)
			}
			return os.WriteFile(name, []byte("left"), 0o644)
		})
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(filepath.Base(name), ".hailmark-"))
		return filepath.Base(name), locked
	}
	killed, file := temporary(false)
	require.NoError(t, file.Close()) // as if the process had ended
	killedFolder, file := temporary(true)
	require.NoError(t, file.Close())
	write(t, filepath.Join(killedFolder, "jane.png"), "left")
	running, file := temporary(false)
	defer file.Close()
	runningFolder, file := temporary(true)
	defer file.Close()
	write(t, filepath.Join(runningFolder, "jane.png"), "left")
	input, file := temporary(false)
	require.NoError(t, file.Close())
	id := func(name string) string { return name[strings.LastIndexByte(name, '-'):] }
	random := strings.Repeat("A", 26)
	mine := []string{
		running + "~", "copy of " + killed, prefix, prefix + "-", prefix + random, prefix + random + "-", prefix + random + "-1",
		prefix + "notes", prefix + random + id(killed), strings.TrimPrefix(killed, "."),
	}
	for _, name := range mine {
		write(t, name, "mine")
	}
	for i, name := range []string{prefix + random + "-folder", prefix + strings.Repeat("B", 26)} {
		require.NoError(t, os.Mkdir(name, 0o755))
		mine = append(mine, write(t, filepath.Join(name, strconv.Itoa(i)), "mine"))
	}
	want := map[string]string{running: "left", filepath.Join(runningFolder, "jane.png"): "left", input: "left"}
	for _, name := range mine {
		want[name] = "mine"
	}
	link := prefix + strings.Repeat("C", 26) + "-2"
	require.NoError(t, os.Symlink(prefix+"notes", link))
	want[link] = "->" + prefix + "notes"

	f := &Files{}
	in, err := f.Open(input)
	require.NoError(t, err)
	defer in.Close()
	require.NoError(t, put(f, "new", "new"))
	want["new"] = "new"
	require.Equal(t, want, tree(t, dir))
	require.NoDirExists(t, killedFolder)

	f = &Files{Force: true}
	folder, err := f.Folder(".")
	require.NoError(t, err)
	require.NoError(t, folder.WriteFile("new", []byte("newer")))
	require.NoError(t, f.Commit())
	want["new"] = "newer"
	delete(want, input) // this command doesn't read it
	require.Equal(t, want, tree(t, dir))
}

// A signal that arrives while the outputs get their names doesn't say that no files were written.
func TestSignalAfterCommit(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	end := func(f *Files) (exited bool) {
		done := make(chan struct{})
		f.Exit = func(os.Signal) {
			exited = true
			runtime.Goexit()
		}
		go func() {
			defer close(done)
			f.end(os.Interrupt)
		}()
		<-done
		return exited
	}
	f := &Files{}
	require.NoError(t, put(f, name, "x"))
	require.False(t, end(f))
	require.FileExists(t, name)

	f = &Files{Force: true}
	_, err := f.Create(name)
	require.NoError(t, err)
	require.True(t, end(f))
	require.Equal(t, map[string]string{"a": "x"}, tree(t, filepath.Dir(name)))
}

// A file created in the meantime isn't replaced.
func TestRace(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	f := &Files{}
	_, err := f.Create(name)
	require.NoError(t, err)
	folder, err := f.Folder(filepath.Join(dir, "b"))
	require.NoError(t, err)
	require.NoError(t, folder.WriteFile("c", nil))
	write(t, name, "theirs")
	require.EqualError(t, f.Commit(), name+" exists already; use --force to replace it")
	require.Equal(t, map[string]string{"a": "theirs"}, tree(t, dir), "a conflict changes nothing")

	f = &Files{}
	folder, err = f.Folder(filepath.Join(dir, "b"))
	require.NoError(t, err)
	require.NoError(t, folder.WriteFile("c", nil))
	write(t, filepath.Join(dir, "b", "other"), "theirs")
	require.ErrorContains(t, f.Commit(), "b isn't empty")
	require.Equal(t, map[string]string{"a": "theirs", "b/other": "theirs"}, tree(t, dir))
}

func TestDirect(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, put(&Files{}, os.DevNull, "x"))
	var out strings.Builder
	require.NoError(t, put(&Files{Stdout: &out}, "-", "x"))
	require.Equal(t, "x", out.String())
	require.EqualError(t, put(&Files{Stdout: broken{}}, "-", "x"), "write standard output: disk full")
	if runtime.GOOS != "linux" {
		return
	}
	require.EqualError(t, put(&Files{}, "/proc/a", "x"), "create /proc/a: no such file or directory", "nobody can create files there")
	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, put(&Files{}, "/dev/fd/"+strconv.Itoa(int(w.Fd())), "to a pipe"))
	f := &Files{}
	_, err = f.Create("/dev/fd/" + strconv.Itoa(int(w.Fd())))
	require.NoError(t, err)
	_, err = f.Create("/proc/self/fd/" + strconv.Itoa(int(w.Fd())))
	require.ErrorAs(t, err, new(*ConflictError), "a pipe is one output")
	require.NoError(t, f.Abort())
	f = &Files{Stdout: w}
	_, err = f.Create("/proc/self/fd/" + strconv.Itoa(int(w.Fd())))
	require.NoError(t, err)
	require.True(t, f.WritesToStdout())
	require.NoError(t, f.Abort())
	f = &Files{}
	for range 2 {
		_, err = f.Create(os.DevNull)
		require.NoError(t, err)
	}
	require.NoError(t, f.Commit())
	require.NoError(t, w.Close())
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, "to a pipe", string(text))

	// Standard output may be a file, but then its name can't be an output or input.
	stdout, err := os.Create(filepath.Join(dir, "out"))
	require.NoError(t, err)
	defer stdout.Close()
	f = &Files{Stdout: stdout}
	require.NoError(t, put(f, "/dev/fd/"+strconv.Itoa(int(stdout.Fd())), "as a device"))
	require.EqualError(t, put(f, stdout.Name(), "x"), stdout.Name()+" is also standard output")
	_, err = f.Open(stdout.Name())
	require.EqualError(t, err, stdout.Name()+" is also standard output")
	require.ErrorAs(t, err, new(*ConflictError))
	require.Equal(t, map[string]string{"out": "as a device"}, tree(t, dir))
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a", "b")
	fill := func(f *Files, files ...string) error {
		folder, err := f.Folder(name)
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := folder.WriteFile(file, []byte(file)); err != nil {
				return err
			}
		}
		require.NotEmpty(t, folder.inner)
		return f.Commit()
	}
	var many []string
	for i := range 2500 {
		many = append(many, "f"+strings.Repeat("x", i%50)+string(rune('a'+i/50)))
	}
	require.NoError(t, fill(&Files{}, many...))
	require.Len(t, tree(t, dir), 2500)
	require.NoError(t, os.RemoveAll(name))

	require.NoError(t, os.MkdirAll(name, 0o755))
	write(t, filepath.Join(name, ".DS_Store"), "hidden")
	require.NoError(t, fill(&Files{}, "c", "d"))
	want := map[string]string{"a/b/.DS_Store": "hidden", "a/b/c": "c", "a/b/d": "d"}
	require.Equal(t, want, tree(t, dir))
	require.EqualError(t, fill(&Files{}, "e"), "the folder "+name+" isn't empty; use --force to add to it, and to replace files of the same name")
	require.Equal(t, want, tree(t, dir))
	write(t, filepath.Join(name, "c"), "old")
	require.NoError(t, os.Chmod(filepath.Join(name, "c"), 0o600))
	require.NoError(t, fill(&Files{Force: true}, "c", "e"))
	want["a/b/e"] = "e"
	require.Equal(t, want, tree(t, dir))
	info, err := os.Stat(filepath.Join(name, "c"))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode(), "a replaced file keeps its permissions")

	f := &Files{Force: true}
	require.ErrorIs(t, fill(f, "x", "x"), fs.ErrExist, "one name twice")
	require.NoError(t, f.Abort())
	require.NoError(t, os.Mkdir(filepath.Join(name, "g"), 0o755))
	require.EqualError(t, fill(&Files{Force: true}, "g"), filepath.Join(name, "g")+" isn't a regular file")
	require.Equal(t, want, tree(t, dir))
	name = filepath.Join(name, "c")
	require.Error(t, fill(&Files{Force: true}, "x"), "a file is not a folder")
}

func TestOpenSeekable(t *testing.T) {
	dir := t.TempDir()
	name := write(t, filepath.Join(dir, "in"), "text")
	t.Setenv("TMPDIR", dir)
	for _, in := range []string{name, "-"} {
		f := &Files{Stdin: strings.NewReader("text")}
		file, err := f.OpenSeekable(in)
		require.NoError(t, err)
		for range 2 {
			text, err := io.ReadAll(file)
			require.NoError(t, err)
			require.Equal(t, "text", string(text))
			_, err = file.Seek(0, io.SeekStart)
			require.NoError(t, err)
		}
		require.NoError(t, file.Close())
		require.Equal(t, map[string]string{"in": "text"}, tree(t, dir))
	}
	_, err := (&Files{}).OpenSeekable(dir)
	require.EqualError(t, err, "copy "+dir+": is a directory")
	_, err = (&Files{}).OpenSeekable(filepath.Join(dir, "missing"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.Equal(t, map[string]string{"in": "text"}, tree(t, dir))
}

// No other package in the commands changes files, except for build tools.
func TestOnlyWayToWrite(t *testing.T) {
	root := filepath.Join("..", "..")
	writers := map[string]bool{}
	for _, name := range []string{
		"Create", "CreateTemp", "OpenFile", "WriteFile", "NewFile", "OpenRoot", "CopyFS", "Mkdir", "MkdirAll", "MkdirTemp",
		"Rename", "Remove", "RemoveAll", "Truncate", "Link", "Symlink", "Chmod",
	} {
		writers[name] = true
	}
	found := 0
	require.NoError(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		inner, _ := filepath.Rel(root, name)
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := call.X.(*ast.Ident)
			if !ok || pkg.Name != "os" && pkg.Name != "ioutil" && pkg.Name != "syscall" && pkg.Name != "unix" || !writers[call.Sel.Name] {
				return true
			}
			if filepath.Dir(inner) == filepath.Join("internal", "outfile") {
				found++
			} else if !strings.HasPrefix(inner, filepath.Join("wasm", "bundle")) {
				t.Errorf("%s: %s.%s: only package outfile opens files for writing", inner, pkg.Name, call.Sel.Name)
			}
			return true
		})
		return nil
	}))
	require.Greater(t, found, 5)
}

func TestStdinIsStdout(t *testing.T) {
	name := write(t, filepath.Join(t.TempDir(), "a"), "text")
	in, err := os.Open(name)
	require.NoError(t, err)
	defer in.Close()
	out, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	defer out.Close()
	_, err = (&Files{Stdin: in, Stdout: out}).Open("-")
	require.ErrorAs(t, err, new(*ConflictError))

	// Only pipes are copied, which requires a temporary folder.
	file, err := (&Files{}).OpenSeekable(name)
	require.NoError(t, err)
	require.IsType(t, in, file)
	require.NoError(t, file.Close())
	t.Setenv("TMPDIR", name)
	_, err = (&Files{Stdin: strings.NewReader("text")}).OpenSeekable("-")
	require.Error(t, err)
}
