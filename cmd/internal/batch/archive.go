package batch

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

// An archive is a ZIP file without compression, since pictures are compressed. Its
// directory is kept apart until the end. So memory need not depend on the number of
// pictures, and an interrupted archive can be resumed. Package archive/zip keeps the
// directory in memory and cannot resume.
type archive struct {
	data, directory io.Writer
	size, dirSize   int64
	count           int
}

// The numbers of the ZIP format (PKWARE APPNOTE.TXT 6.3).
const (
	localSignature     = 0x04034b50
	entrySignature     = 0x02014b50
	endSignature       = 0x06054b50
	end64Signature     = 0x06064b50
	locator64Signature = 0x07064b50
	zipVersion         = 20
	zip64Version       = 45
	madeByUnix         = 3 << 8
	utf8Flag           = 1 << 11
	firstDate          = 1<<5 | 1 // 1 January 1980: equal inputs give equal bytes
	maxUint32          = 1<<32 - 1
	maxUint16          = 1<<16 - 1
	zip64Extra         = 1
	fileMode           = 0o100644 << 16
)

func (a *archive) add(name string, picture []byte) error {
	crc, n, offset := crc32.ChecksumIEEE(picture), uint32(len(picture)), a.size
	le := binary.LittleEndian
	common := func(b []byte, version uint16) []byte {
		b = le.AppendUint16(b, version)
		b = le.AppendUint16(b, utf8Flag)
		b = le.AppendUint16(b, 0) // stored
		b = le.AppendUint16(b, 0) // time
		b = le.AppendUint16(b, firstDate)
		b = le.AppendUint32(b, crc)
		b = le.AppendUint32(b, n)
		b = le.AppendUint32(b, n)
		return le.AppendUint16(b, uint16(len(name)))
	}
	local := common(le.AppendUint32(nil, localSignature), zipVersion)
	local = append(le.AppendUint16(local, 0), name...)

	var extra []byte
	version := uint16(zipVersion)
	if offset >= maxUint32 {
		version = zip64Version
		extra = le.AppendUint64(le.AppendUint16(le.AppendUint16(nil, zip64Extra), 8), uint64(offset))
	}
	entry := le.AppendUint16(le.AppendUint32(nil, entrySignature), madeByUnix|version)
	entry = common(entry, version)
	entry = le.AppendUint16(entry, uint16(len(extra)))
	entry = append(entry, make([]byte, 6)...) // no comment, first disk, no internal attributes
	entry = le.AppendUint32(entry, fileMode)
	entry = le.AppendUint32(entry, uint32(min(offset, maxUint32)))
	entry = append(append(entry, name...), extra...)

	for _, part := range [...][]byte{local, picture} {
		if _, err := a.data.Write(part); err != nil {
			return err
		}
		a.size += int64(len(part))
	}
	_, err := a.directory.Write(entry)
	a.dirSize += int64(len(entry))
	a.count++
	return err
}

// finish appends the directory, which was written before.
func (a *archive) finish(directory io.Reader) error {
	if _, err := io.Copy(a.data, directory); err != nil {
		return err
	}
	le := binary.LittleEndian
	var end []byte
	if a.count >= maxUint16 || a.size >= maxUint32 || a.dirSize >= maxUint32 {
		end = le.AppendUint64(le.AppendUint32(end, end64Signature), 44) // the size of what follows
		end = le.AppendUint16(le.AppendUint16(end, madeByUnix|zip64Version), zip64Version)
		end = le.AppendUint64(end, 0) // this disk, and that of the directory
		end = le.AppendUint64(le.AppendUint64(end, uint64(a.count)), uint64(a.count))
		end = le.AppendUint64(le.AppendUint64(end, uint64(a.dirSize)), uint64(a.size))
		end = le.AppendUint32(le.AppendUint32(end, locator64Signature), 0)
		end = le.AppendUint32(le.AppendUint64(end, uint64(a.size+a.dirSize)), 1)
	}
	count := uint16(min(a.count, maxUint16))
	end = le.AppendUint32(le.AppendUint32(end, endSignature), 0)
	end = le.AppendUint16(le.AppendUint16(end, count), count)
	end = le.AppendUint32(le.AppendUint32(end, uint32(min(a.dirSize, maxUint32))), uint32(min(a.size, maxUint32)))
	end = le.AppendUint16(end, 0)
	_, err := a.data.Write(end)
	return err
}
