//go:build unix

package outfile

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// lock locks a file or folder for as long as the result is open, which ends with the process. The
// result is nil if another process has locked the file, or if the file system has no locks.
func lock(name string) *os.File {
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		return nil
	}
	return file
}

// inode returns the number that identifies a file on its file system.
func inode(info fs.FileInfo) string {
	stat, _ := info.Sys().(*syscall.Stat_t)
	if stat == nil {
		return ""
	}
	return strconv.FormatUint(stat.Ino, 10)
}
