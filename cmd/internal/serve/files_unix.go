//go:build unix

package serve

import "syscall"

// maxFiles returns how many files the process may open, or 0 if that isn't known.
func maxFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	const most = 1 << 30                     // also for RLIM_INFINITY
	return int(min(uint64(limit.Cur), most)) //nolint:unconvert // an int64 on FreeBSD
}
