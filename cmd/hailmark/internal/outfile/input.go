package outfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

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
