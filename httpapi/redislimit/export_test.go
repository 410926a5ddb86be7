package redislimit

// CheckURL parses a URL without connecting.
var CheckURL = newClient

// ErrURL is the only error of CheckURL.
var ErrURL = errURL
