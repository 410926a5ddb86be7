package batch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// A reportFile is a report in a file.
type reportFile struct {
	*report
	file *os.File
}

// openReport opens a report that has size bytes from an earlier run.
func openReport(name string, size int64, labels bool) (*reportFile, error) {
	f, err := openAt(name, size)
	if err != nil {
		return nil, err
	}
	r := &reportFile{newReport(f, strings.HasSuffix(strings.ToLower(name), ".csv"), labels), f}
	if size == 0 {
		err = r.begin()
	}
	return r, err
}

// flush writes what is buffered, and returns the size of the file.
func (r *reportFile) flush() (int64, error) {
	if err := r.report.flush(); err != nil {
		return 0, err
	}
	return r.file.Seek(0, io.SeekCurrent)
}

// An archiveFile is an archive in a file. Its directory grows in a second file.
type archiveFile struct {
	archive
	file, directory *os.File
	data, entries   *bufio.Writer
}

// directoryName returns the name of the file of the directory.
func directoryName(name string) string { return name + ".directory" }

// openArchive opens an archive that has some bytes, and a directory, from an earlier run.
func openArchive(name string, size, dirSize int64, count int) (*archiveFile, error) {
	file, err := openAt(name, size)
	if err != nil {
		return nil, err
	}
	directory, err := openAt(directoryName(name), dirSize)
	if err != nil {
		file.Close()
		return nil, err
	}
	data, entries := bufio.NewWriterSize(file, 256<<10), bufio.NewWriterSize(directory, 64<<10)
	return &archiveFile{archive{data, entries, size, dirSize, count}, file, directory, data, entries}, nil
}

// flush writes what is buffered, and returns the sizes.
func (a *archiveFile) flush() (size, dirSize int64, err error) {
	return a.size, a.dirSize, errors.Join(a.data.Flush(), a.entries.Flush())
}

// close closes the archive. If it is complete, it gets its directory.
func (a *archiveFile) close(complete bool) error {
	var errs []error
	if complete {
		errs = append(errs, a.finish())
	}
	return errors.Join(append(errs, a.file.Close(), a.directory.Close())...)
}

// finish appends the directory.
func (a *archiveFile) finish() error {
	if err := a.entries.Flush(); err != nil {
		return err
	}
	if _, err := a.directory.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := a.archive.finish(a.directory); err != nil {
		return err
	}
	return a.data.Flush()
}

// openAt opens a file for writing behind its first size bytes, and removes the rest.
func openAt(name string, size int64) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	end, err := f.Seek(0, io.SeekEnd)
	if err == nil && end < size {
		err = fmt.Errorf("%s has lost its end since the earlier run: remove the output, and start again", name)
	}
	if err == nil {
		err = f.Truncate(size)
	}
	if err == nil {
		_, err = f.Seek(size, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
