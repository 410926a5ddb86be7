package batch

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/hailmark/hailmark/qrcode"
)

// A journal is a file of JSON lines: a header, then checkpoints. It has hashes and
// numbers, and no personal data. A last line that is not complete does not count.
type journal struct {
	file *os.File
}

// A header says what a run is about.
type header struct {
	Journal int    `json:"journal"` // the version of the format
	Input   string `json:"input"`   // SHA-256 of the input
	Options string `json:"options"` // SHA-256 of the options
}

// A checkpoint says how far a run has come.
type checkpoint struct {
	Counts
	Reports   []int64 `json:"reports,omitempty"`   // sizes in bytes
	Archive   int64   `json:"archive,omitempty"`   // size in bytes
	Directory int64   `json:"directory,omitempty"` // size of the archive's directory
	Done      bool    `json:"done,omitempty"`      // only the files of the run itself remain to be removed
}

// hash returns a hash of everything but the input that decides about the output.
func (c *Config) hash() string {
	fields := []any{
		c.Table, c.Host, c.Text, c.Picture.Format, c.Picture.Size, c.Picture.MinLevel, c.Picture.Margin, c.Picture.NoMargin,
		c.Picture.Foreground, c.Picture.Background, qrcode.RendererVersion, c.Reports,
	}
	if c.Paper != nil {
		// The logo, and the version of package print, show in the file of an example.
		example := code{link: "https://wa.me/example", caption: c.Paper.Code.Caption, options: c.Picture}
		file, _, _, err := c.draw(&example)
		plain := c.Paper.Code
		plain.Logo = nil
		fields = append(fields, plain, c.Paper.Format, sha256.Sum256(file), fmt.Sprint(err))
	}
	text, err := json.Marshal(fields)
	if err != nil {
		panic("batch: options without JSON: " + err.Error())
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

func newJournal(name string, head header) (*journal, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	j := &journal{f}
	return j, j.write(head)
}

// resumeJournal opens the journal of an interrupted run, which must have the same header.
func resumeJournal(name string, head header) (*journal, checkpoint, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, checkpoint{}, err
	}
	complete := bytes.LastIndexByte(text, '\n') + 1
	lines := strings.SplitAfter(string(text[:complete]), "\n")
	var (
		was  header
		last checkpoint
	)
	if complete == 0 {
		was = head // the run was interrupted before it began
	} else if err := json.Unmarshal([]byte(lines[0]), &was); err != nil {
		return nil, last, fmt.Errorf("%s is not a journal of hailmark batch", name)
	}
	switch {
	case was.Journal != head.Journal:
		return nil, last, errors.New("the earlier run was made by another version of hailmark: remove its output, and start again")
	case was.Input != head.Input:
		return nil, last, errors.New("the table has changed since the earlier run: remove its output, and start again")
	case was.Options != head.Options:
		return nil, last, errors.New("the options differ from those of the earlier run: repeat those, or remove its output and start again")
	}
	for _, line := range lines[min(1, len(lines)):] {
		if line == "" {
			continue
		}
		last = checkpoint{}
		if err := json.Unmarshal([]byte(line), &last); err != nil {
			return nil, last, fmt.Errorf("%s is damaged: remove the output, and start again", name)
		}
	}
	f, err := openAt(name, int64(complete))
	if err != nil {
		return nil, last, err
	}
	j := &journal{f}
	if complete == 0 {
		err = j.write(head)
	}
	return j, last, err
}

func (j *journal) add(c checkpoint) error { return j.write(c) }

// write writes a line at once.
func (j *journal) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = j.file.Write(append(line, '\n'))
	return err
}

// close closes the journal, and removes that of a complete run.
func (j *journal) close(complete bool) error {
	name := j.file.Name()
	if err := j.file.Close(); err != nil || !complete {
		return err
	}
	return os.Remove(name)
}
