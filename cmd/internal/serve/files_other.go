//go:build !unix

package serve

// maxFiles returns 0, because the system has no such limit.
func maxFiles() int { return 0 }
