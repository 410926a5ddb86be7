// Package negotiate parses the request headers that select a response: Accept-Encoding and
// If-None-Match.
package negotiate

import (
	"strconv"
	"strings"
)

// Encoding returns the encoding that the client prefers, or "" for an uncompressed response
// (RFC 9110, 12.5.3). The server offers encodings in the order of its own preference, which
// decides if the client has none.
func Encoding(lines []string, offered ...string) string {
	weights := map[string]float64{}
	for item := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		coding, parameter, hasWeight := strings.Cut(item, ";")
		weight := 1.0
		if hasWeight {
			weight = parseWeight(parameter)
		}
		coding = strings.ToLower(strings.TrimSpace(coding))
		if coding == "x-gzip" { // its old name
			coding = "gzip"
		}
		weights[coding] = weight
	}
	weightOf := func(coding string) float64 {
		if weight, listed := weights[coding]; listed {
			return weight
		}
		return weights["*"]
	}
	best, most := "", weights["identity"]
	for _, coding := range offered {
		if weight := weightOf(coding); weight > most || weight == most && weight > 0 && best == "" {
			best, most = coding, weight
		}
	}
	return best
}

// parseWeight returns the weight of a parameter, for example q=0.5, or 0 if it's invalid.
func parseWeight(parameter string) float64 {
	name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
	weight, err := strconv.ParseFloat(value, 64)
	if err != nil || !strings.EqualFold(name, "q") || !(weight >= 0 && weight <= 1) {
		return 0
	}
	return weight
}

// Matches reports whether If-None-Match lines are * or list etag.
func Matches(lines []string, etag string) bool {
	return len(lines) == 1 && strings.TrimSpace(lines[0]) == "*" || Lists(lines, etag)
}

// Lists reports whether If-None-Match lines contain etag, weak or strong (RFC 9110, 13.1.2).
func Lists(lines []string, etag string) bool {
	for _, line := range lines {
		for {
			tag := strings.TrimPrefix(strings.TrimLeft(line, " \t,"), "W/")
			if !strings.HasPrefix(tag, `"`) {
				break
			}
			length := strings.IndexByte(tag[1:], '"')
			if length < 0 {
				break // no closing quote
			}
			if line = tag[length+len(`""`):]; tag[:length+len(`""`)] == etag {
				return true
			}
		}
	}
	return false
}
