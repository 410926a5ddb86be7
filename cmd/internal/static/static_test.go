package static

import (
	"compress/gzip"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

var text = strings.Repeat("Hello. ", 100)

func newText() *File {
	return New(map[string]string{"Content-Type": "text/plain", "Cache-Control": "no-cache"}, func() []byte { return []byte(text) })
}

func send(f *File, method string, header http.Header) *http.Response {
	r := httptest.NewRequest(method, "/", http.NoBody)
	r.Header = header
	w := httptest.NewRecorder()
	status, sent := f.Serve(w, r)
	if status != w.Code || sent != w.Body.Len() {
		panic("Serve returns what it did not send")
	}
	return w.Result()
}

func bodyOf(t *testing.T, res *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(body)
}

func unzip(t *testing.T, data string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(data))
	require.NoError(t, err)
	body, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(body)
}

func TestEncodings(t *testing.T) {
	f := newText()
	identity := send(f, http.MethodGet, nil)
	require.Equal(t, http.StatusOK, identity.StatusCode)
	require.Equal(t, "", identity.Header.Get("Content-Encoding"))
	require.Equal(t, text, bodyOf(t, identity))

	packed := send(f, http.MethodGet, http.Header{"Accept-Encoding": {"br, gzip"}})
	require.Equal(t, http.StatusOK, packed.StatusCode)
	require.Equal(t, "gzip", packed.Header.Get("Content-Encoding"))
	require.NotEqual(t, identity.Header.Get("Etag"), packed.Header.Get("Etag"))
	data := bodyOf(t, packed)
	require.Less(t, len(data), len(text))
	require.Equal(t, text, unzip(t, data))

	for _, res := range []*http.Response{identity, packed} {
		require.Equal(t, "Accept-Encoding", res.Header.Get("Vary"))
		require.Equal(t, "text/plain", res.Header.Get("Content-Type"))
		require.Equal(t, "no-cache", res.Header.Get("Cache-Control"))
		require.Regexp(t, `^"[0-9a-f]{24}(-gzip)?"$`, res.Header.Get("Etag"))
	}
	require.Equal(t, strconv.Itoa(len(text)), identity.Header.Get("Content-Length"))
	require.Equal(t, strconv.Itoa(len(data)), packed.Header.Get("Content-Length"))
}

// HEAD has the header of GET and no body.
func TestHead(t *testing.T) {
	f := newText()
	for _, coding := range []string{"", "gzip"} {
		header := http.Header{"Accept-Encoding": {coding}}
		head := send(f, http.MethodHead, header)
		require.Equal(t, send(f, http.MethodGet, header).Header, head.Header)
		require.Empty(t, bodyOf(t, head))
	}
}

// What node's implementation compresses is served as it is, and to others without it.
func TestBrotli(t *testing.T) {
	packed, err := base64.StdEncoding.DecodeString("CwaAaGFpbG1hcmsgaGFpbAM=")
	require.NoError(t, err)
	f := FromBrotli(map[string]string{"Content-Type": "text/plain"}, packed)
	for accepted, want := range map[string]string{
		"br": "br", "gzip, deflate, BR": "br", "*": "br", "br;q=0.5": "br", "identity;q=0.5, br;q=0.5": "br",
		"gzip": "gzip", "br;q=0, *": "gzip", "br;q=0.1, gzip": "gzip", "": "", "identity": "", "br;q=0": "", "br;q=0.1, identity": "", "x-br": "",
	} {
		res := send(f, http.MethodGet, http.Header{"Accept-Encoding": {accepted}})
		require.Equal(t, want, res.Header.Get("Content-Encoding"), accepted)
		body := bodyOf(t, res)
		switch want {
		case "br":
			require.Equal(t, packed, []byte(body), accepted)
		case "":
			require.Equal(t, "hailmark hail", body, accepted)
		}
		require.Equal(t, http.StatusNotModified, send(f, http.MethodGet, http.Header{"Accept-Encoding": {accepted}, "If-None-Match": {res.Header.Get("Etag")}}).StatusCode)
	}
	plain, packedTag := send(f, http.MethodGet, nil).Header.Get("Etag"), send(f, http.MethodGet, http.Header{"Accept-Encoding": {"br"}}).Header.Get("Etag")
	require.NotEqual(t, plain, packedTag)
}

func TestConditionalRequests(t *testing.T) {
	f := newText()
	for _, coding := range []string{"identity", "gzip"} {
		full := send(f, http.MethodGet, http.Header{"Accept-Encoding": {coding}})
		tag := full.Header.Get("Etag")
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			for _, lines := range [][]string{{tag}, {"W/" + tag}, {`"x", W/"y",` + tag}, {`"a,b" , ` + tag + " "}, {`"x"`, tag}, {"*"}, {" * "}} {
				res := send(f, method, http.Header{"Accept-Encoding": {coding}, "If-None-Match": lines})
				require.Equal(t, http.StatusNotModified, res.StatusCode, lines)
				require.Empty(t, bodyOf(t, res))
				require.Equal(t, tag, res.Header.Get("Etag"))
				require.Equal(t, "Accept-Encoding", res.Header.Get("Vary"))
				require.Equal(t, "no-cache", res.Header.Get("Cache-Control"))
				for _, absent := range []string{"Content-Type", "Content-Length", "Content-Encoding"} {
					require.NotContains(t, res.Header, absent)
				}
			}
		}
		bare := strings.Trim(tag, `"`)
		for _, other := range []string{"", `"x"`, bare, `"` + bare, `w/` + tag, `"` + bare + `x"`, `"x,*,y"`, `*, "x"`, "**"} {
			require.Equal(t, http.StatusOK, send(f, http.MethodGet, http.Header{"Accept-Encoding": {coding}, "If-None-Match": {other}}).StatusCode, other)
		}
	}
	identity := send(f, http.MethodGet, nil).Header.Get("Etag")
	require.Equal(t, http.StatusOK, send(f, http.MethodGet, http.Header{"Accept-Encoding": {"gzip"}, "If-None-Match": {identity}}).StatusCode,
		"the tag of the other encoding")
}

// Many first requests at once make the body once, and get the same one.
func TestFirstRequests(t *testing.T) {
	const requests = 20
	var made atomic.Int32
	var began, ended sync.WaitGroup
	began.Add(requests)
	f := New(nil, func() []byte {
		made.Add(1)
		began.Wait()
		return []byte(text)
	})
	responses := make([]*http.Response, requests)
	for i := range responses {
		ended.Go(func() {
			began.Done()
			responses[i] = send(f, http.MethodGet, http.Header{"Accept-Encoding": {"gzip"}})
		})
	}
	ended.Wait()
	for _, res := range responses {
		require.Equal(t, text, unzip(t, bodyOf(t, res)))
	}
	require.EqualValues(t, 1, made.Load())
	require.Same(t, &f.gzip()[0], &f.gzip()[0], "compressed twice")
}

// A request that does not need the compressed body does not wait for it.
func TestCompressionHoldsUpNoOther(t *testing.T) {
	f := newText()
	f.gzip = func() []byte { panic("compressed") }
	require.Equal(t, text, bodyOf(t, send(f, http.MethodGet, nil)))
	tag := `"` + f.hash() + `-gzip"`
	known := send(f, http.MethodGet, http.Header{"Accept-Encoding": {"gzip"}, "If-None-Match": {tag}})
	require.Equal(t, http.StatusNotModified, known.StatusCode)
	require.Panics(t, func() { send(f, http.MethodGet, http.Header{"Accept-Encoding": {"gzip"}}) })
}

// A closedConn is a client that has left.
type closedConn struct{ *httptest.ResponseRecorder }

func (closedConn) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// A response that was cut off has no status.
func TestClientLeaves(t *testing.T) {
	status, sent := newText().Serve(closedConn{httptest.NewRecorder()}, httptest.NewRequest(http.MethodGet, "/", nil))
	require.Zero(t, status)
	require.Zero(t, sent)
}
