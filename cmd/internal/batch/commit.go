package batch

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A committer records the rows that are done, in the order of the table.
type committer struct {
	config    *Config
	counts    Counts
	committed int  // rows that earlier runs committed
	done      bool // an earlier run did everything but remove its files
	reports   []*reportFile
	zip       *archiveFile // or nil
	journal   *journal     // or nil, if there are no pictures
	saved     Counts
	savedAt   time.Time
}

// isArchive reports whether the output is an archive.
func (c *Config) isArchive() bool { return strings.HasSuffix(strings.ToLower(c.Out), ".zip") }

// writer returns what writes a picture to the folder, or nil if there is no folder.
func (c *committer) writer() func(file string, picture []byte) error {
	if c.zip != nil || c.config.Out == "" {
		return nil
	}
	return func(file string, picture []byte) error {
		err := os.WriteFile(filepath.Join(c.config.Out, file), picture, 0o644)
		// The name of the file is personal data, and the message of a path error has it.
		var pathError *fs.PathError
		if errors.As(err, &pathError) {
			err = pathError.Err
		}
		return err
	}
}

// journalName returns the name of the journal. No picture has that name.
func (c *Config) journalName() string {
	if c.isArchive() {
		return c.Out + ".journal"
	}
	return filepath.Join(c.Out, ".hailmark-journal")
}

// newCommitter prepares the output of a run, or that of the run that is resumed.
func newCommitter(config *Config, sum [sha256.Size]byte) (*committer, error) {
	c := &committer{config: config, savedAt: time.Now()}
	var last checkpoint
	if config.Out != "" {
		var err error
		if last, err = c.openJournal(sum); err != nil {
			return nil, err
		}
	}
	c.counts, c.committed, c.saved = last.Counts, last.Rows(), last.Counts
	if c.done = last.Done; c.done {
		return c, nil
	}
	for i, name := range config.Reports {
		size := int64(0)
		if i < len(last.Reports) {
			size = last.Reports[i]
		}
		r, err := openReport(name, size, config.onLabels)
		if err != nil {
			return nil, errors.Join(err, c.close(false))
		}
		c.reports = append(c.reports, r)
	}
	if config.Out != "" && config.isArchive() {
		var err error
		if c.zip, err = openArchive(config.Out, last.Archive, last.Directory, last.OK); err != nil {
			return nil, errors.Join(err, c.close(false))
		}
	}
	return c, nil
}

// openJournal opens the journal of a new run, or of one that is resumed.
func (c *committer) openJournal(sum [sha256.Size]byte) (last checkpoint, err error) {
	name := c.config.journalName()
	head := header{1, fmt.Sprintf("%x", sum), c.config.hash()}
	_, err = os.Stat(name)
	exists := err == nil
	switch {
	case exists && !c.config.Resume:
		return last, errors.New("an earlier run was interrupted: continue it with --resume, or remove its output")
	case exists:
		c.journal, last, err = resumeJournal(name, head)
		return last, err
	case !errors.Is(err, fs.ErrNotExist):
		return last, err
	}
	if c.config.isArchive() {
		if _, err := os.Stat(c.config.Out); err == nil {
			return last, errors.New("the output exists already: remove it, or choose another --out")
		}
	} else {
		if err := os.MkdirAll(c.config.Out, 0o755); err != nil {
			return last, err
		}
		entries, err := os.ReadDir(c.config.Out)
		if err != nil {
			return last, err
		}
		if len(entries) > 0 {
			return last, errors.New("the output folder has files already: empty it, or choose another --out")
		}
	}
	c.journal, err = newJournal(name, head)
	return last, err
}

// commit records a row.
func (c *committer) commit(r *Result) error {
	if r.err != nil {
		return fmt.Errorf("row %d: the picture cannot be written: %w", r.Row, r.err)
	}
	if c.zip != nil && r.Status == OK {
		if err := c.zip.add(r.File, r.picture); err != nil {
			return err
		}
	}
	r.picture = nil
	for _, report := range c.reports {
		if err := report.add(r); err != nil {
			return err
		}
	}
	c.counts.add(r.Status)
	if c.config.Each != nil {
		c.config.Each(*r)
	}
	if n := c.counts.Rows() - c.saved.Rows(); n >= checkpointRows || n%rowsAChunk == 0 && time.Since(c.savedAt) >= checkpointEvery {
		return c.checkpoint()
	}
	return nil
}

// checkpoint records in the journal how far the run has come.
func (c *committer) checkpoint() error {
	at := checkpoint{Counts: c.counts}
	for _, r := range c.reports {
		size, err := r.flush()
		if err != nil {
			return err
		}
		at.Reports = append(at.Reports, size)
	}
	if c.zip != nil {
		var err error
		if at.Archive, at.Directory, err = c.zip.flush(); err != nil {
			return err
		}
	}
	c.saved, c.savedAt = c.counts, time.Now()
	if c.journal == nil {
		return nil
	}
	return c.journal.add(at)
}

// close ends the run. The files of a complete run that are not its output are removed.
func (c *committer) close(complete bool) error {
	var errs []error
	ok := func() bool { return complete && errors.Join(errs...) == nil }
	if ok() && !c.done {
		errs = append(errs, c.checkpoint())
	}
	for _, r := range c.reports {
		errs = append(errs, r.file.Close())
	}
	if c.zip != nil {
		errs = append(errs, c.zip.close(ok()))
	}
	if c.journal == nil {
		return errors.Join(errs...)
	}
	if ok() {
		errs = append(errs, c.journal.add(checkpoint{Counts: c.counts, Done: true}))
	}
	if ok() && c.config.isArchive() {
		if err := os.Remove(directoryName(c.config.Out)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, c.journal.close(ok()))...)
}
