package serve

const otherFiles = 64 // for the log, Redis and the other listeners

// connsWithin returns how many connections the server may have if it may open this many files. For 0, which
// means any number, it returns 0: as many as the memory allows. Each connection is a file, and a server
// that runs out of files accepts no connections until it closes some.
func connsWithin(files int) int {
	if files == 0 {
		return 0
	}
	return max(1, files-min(otherFiles, files/2))
}
