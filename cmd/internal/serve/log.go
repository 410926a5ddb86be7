package serve

import (
	"bytes"
	"io"
	"log"
	"log/slog"
	"strconv"
	"time"

	"github.com/hailmark/hailmark/httpapi"
)

func newLogger(w io.Writer, format string) *slog.Logger {
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, nil))
}

// appendRequest appends a line of the access log. An observation holds no personal data, and
// the line has nothing else. It is the line that the logger would write, at a fraction of
// the cost: no word of an observation needs an escape.
func appendRequest(line []byte, format string, now time.Time, o httpapi.Observation) []byte {
	inJSON := format == "json"
	separator, assign := " ", "="
	if inJSON {
		line = append(now.AppendFormat(append(line, `{"time":"`...), time.RFC3339Nano), `","level":"INFO","msg":"request"`...)
		separator, assign = `,"`, `":`
	} else {
		line = append(now.AppendFormat(append(line, "time="...), "2006-01-02T15:04:05.000Z07:00"), " level=INFO msg=request"...)
	}
	name := func(name string) { line = append(append(append(line, separator...), name...), assign...) }
	word := func(key, value string) {
		name(key)
		quote := ""
		if inJSON || value == "" {
			quote = `"`
		}
		line = append(append(append(line, quote...), value...), quote...)
	}
	number := func(key string, value int64) {
		name(key)
		line = strconv.AppendInt(line, value, 10)
	}
	word("method", o.Method)
	word("route", o.Route)
	number("status", int64(o.Status))
	number("bytes", int64(o.Bytes))
	number("duration_us", o.Duration.Microseconds())
	if o.Code != "" {
		word("code", string(o.Code))
	}
	if o.UsedFallback {
		name("fallback")
		line = append(line, "true"...)
	}
	word("request_id", o.RequestID)
	if inJSON {
		line = append(line, '}')
	}
	return append(line, '\n')
}

// serverLog returns the log of an [http.Server]. Most of its lines hold addresses or
// text of clients. Only two kinds pass: the listener fails, or a handler panicked.
func serverLog(logger *slog.Logger) *log.Logger { return log.New(serverLines{logger}, "", 0) }

type serverLines struct{ logger *slog.Logger }

func (l serverLines) Write(line []byte) (int, error) {
	switch {
	case bytes.HasPrefix(line, []byte("http: Accept error: ")):
		l.logger.Error("cannot accept connections", "cause", string(bytes.TrimSpace(line)))
	case bytes.HasPrefix(line, []byte("http: panic serving ")), bytes.HasPrefix(line, []byte("http2: panic serving ")):
		l.logger.Error("panic outside of the API")
	}
	return len(line), nil
}
