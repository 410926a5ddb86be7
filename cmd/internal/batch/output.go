package batch

import (
	"archive/zip"
	"errors"
	"hash/crc32"
)

// An output records results in table order.
type output struct {
	config  *Config
	counts  Counts
	reports []*report
	zip     *zip.Writer // or nil
}

// newOutput creates the reports. Label sheets don't contain files.
func newOutput(config *Config, labels bool) (*output, error) {
	o := &output{config: config}
	for _, r := range config.Reports {
		report, err := newReport(r, labels)
		if err != nil {
			return nil, err
		}
		o.reports = append(o.reports, report)
	}
	if config.Archive != nil && !labels {
		o.zip = zip.NewWriter(config.Archive)
	}
	return o, nil
}

// add records a result. An error ends the run.
func (o *output) add(r *Result) error {
	if r.err != nil {
		return errWrite(r.Row, r.err)
	}
	if o.zip != nil && r.Status == OK {
		if err := addToArchive(o.zip, r.File, r.picture); err != nil {
			return errWrite(r.Row, err)
		}
	}
	r.picture = nil
	for _, report := range o.reports {
		if err := report.add(r); err != nil {
			return err
		}
	}
	o.counts.add(r.Status)
	if o.config.Each != nil {
		o.config.Each(*r)
	}
	return nil
}

func (o *output) close() error {
	var errs []error
	if o.zip != nil {
		errs = append(errs, o.zip.Close())
	}
	for _, report := range o.reports {
		errs = append(errs, report.close())
	}
	return errors.Join(errs...)
}

// addToArchive adds an image uncompressed, because image formats already compress. The header
// contains the sizes, because some programs can't read stored data otherwise.
func addToArchive(w *zip.Writer, name string, image []byte) error {
	header := &zip.FileHeader{
		Name: name, Method: zip.Store, Flags: 1 << 11, // the name is UTF-8
		CRC32: crc32.ChecksumIEEE(image), CompressedSize64: uint64(len(image)), UncompressedSize64: uint64(len(image)),
		ModifiedDate: 1<<5 | 1, //nolint:staticcheck // 1 January 1980, since CreateRaw ignores Modified
	}
	header.SetMode(0o644)
	file, err := w.CreateRaw(header)
	if err == nil {
		_, err = file.Write(image)
	}
	return err
}
