//go:build unix

package outfile

import (
	"errors"
	"os"
	"syscall"
)

// lock locks a temporary file or folder for as long as the result is open, which ends with the process.
// The result is nil if the file system has no locks. Lock reports false if another command has found
// the file unlocked, and removes it.
func lock(name string) (_ *os.File, ok bool) {
	file, err := os.Open(name)
	if err != nil {
		return nil, !errors.Is(err, os.ErrNotExist)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		return nil, !errors.Is(err, syscall.EWOULDBLOCK)
	}
	own, err := file.Stat()
	if err == nil {
		var now os.FileInfo
		if now, err = os.Lstat(name); err == nil && os.SameFile(own, now) {
			return file, true
		}
	}
	_ = file.Close()
	return nil, false
}
