package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// An outputFile is a file that gets its name when it is complete. Until then it is a
// temporary file in the same folder, so a killed program leaves an earlier file of that
// name unchanged. A name that is not a regular file, such as /dev/stdout, is written to
// directly. Nothing is created before the first byte is written.
type outputFile struct {
	name      string
	file      *os.File
	temporary bool
	signals   chan os.Signal
}

// writeFile writes a whole file.
func writeFile(name string, data []byte) error {
	f := &outputFile{name: name}
	_, err := f.Write(data)
	return errors.Join(err, f.close(err == nil))
}

// Write creates the file, unless it exists already, and writes to it.
func (f *outputFile) Write(data []byte) (int, error) {
	if f.file == nil {
		if err := f.create(); err != nil {
			return 0, err
		}
	}
	return f.file.Write(data)
}

// create creates the temporary file, with the permissions of the file that it replaces.
func (f *outputFile) create() error {
	if target, err := filepath.EvalSymlinks(f.name); err == nil {
		f.name = target // the symbolic link stays
	}
	earlier, err := os.OpenFile(f.name, os.O_WRONLY, 0)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var mode fs.FileMode
	if err == nil {
		info, err := earlier.Stat()
		if err == nil && !info.Mode().IsRegular() {
			f.file = earlier
			return nil
		}
		if err = errors.Join(err, earlier.Close()); err != nil {
			return err
		}
		mode = info.Mode().Perm()
	}
	file, err := os.OpenFile(filepath.Join(filepath.Dir(f.name), ".hailmark-"+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		var pathError *fs.PathError
		if errors.As(err, &pathError) {
			err = pathError.Err
		}
		return fmt.Errorf("create %s: %w", f.name, err)
	}
	f.file, f.temporary = file, true
	f.removeOnSignal()
	if mode != 0 {
		return file.Chmod(mode)
	}
	return nil
}

// removeOnSignal removes the temporary file if a user or the system ends the program.
func (f *outputFile) removeOnSignal() {
	f.signals = make(chan os.Signal, 1)
	signal.Notify(f.signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		if _, signaled := <-f.signals; signaled {
			_ = os.Remove(f.file.Name())
			os.Exit(statusBad)
		}
	}()
}

// close gives the file its name if it is complete, and removes it otherwise.
func (f *outputFile) close(complete bool) error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	if !f.temporary {
		return err
	}
	defer close(f.signals)
	defer signal.Stop(f.signals)
	if complete && err == nil {
		if err = os.Rename(f.file.Name(), f.name); err == nil {
			return nil
		}
	}
	return errors.Join(err, os.Remove(f.file.Name()))
}
