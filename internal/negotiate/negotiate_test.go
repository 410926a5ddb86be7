package negotiate

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEncoding(t *testing.T) {
	for line, accepts := range map[string]bool{
		"gzip": true, "br, GZIP": true, "x-gzip": true, "gzip;q=0.5": true, "gzip; q=1": true, "gzip ;Q=0.001": true,
		"gzip;q=0.5, br": true, "identity;q=0.5, gzip": true, "identity, gzip": true,
		"*": true, "*;q=0.1": true, "identity;q=0, *": true, "gzip, *;q=0": true,
		"": false, "br": false, "identity": false, "xgzip": false, "gzip-x": false,
		"gzip;q=0": false, "gzip; q=0.000": false, "gzip;q=0, *": false, "*;q=0": false,
		"gzip;q=0.5, identity": false, "gzip;q=0.5, identity;q=0.8": false,
		"gzip;q=x": false, "gzip;q=": false, "gzip;": false, "gzip;q=2": false, "gzip;q=-1": false, "gzip;q=NaN": false, "gzip;p=1": false,
	} {
		require.Equal(t, accepts, Encoding([]string{line}, "gzip") == "gzip", line)
	}
	require.Empty(t, Encoding(nil, "gzip"))
	require.Equal(t, "gzip", Encoding([]string{"br", "gzip"}, "gzip"))
	require.Empty(t, Encoding([]string{"*", "gzip;q=0"}, "gzip"))
	for line, want := range map[string]string{
		"gzip, br": "br", "*": "br", "br;q=0.1, gzip": "gzip", "br;q=0, *": "gzip", "br;q=0.1, identity": "", "br;q=0.5, gzip;q=0.5": "br", "": "",
	} {
		require.Equal(t, want, Encoding([]string{line}, "br", "gzip"), line)
	}
}

func TestMatches(t *testing.T) {
	const etag = `"abc"`
	for _, lines := range [][]string{{etag}, {"W/" + etag}, {`"x", W/"y",` + etag}, {`"a,b" , ` + etag + " "}, {`"x"`, etag}, {"*"}, {" * "}} {
		require.True(t, Matches(lines, etag), lines)
	}
	for _, lines := range [][]string{nil, {""}, {`"x"`}, {"abc"}, {`"abc`}, {`w/"abc"`}, {`"abcx"`}, {`"x,*,y"`}, {`*, "x"`}, {"**"}, {`"`}, {`x "abc"`}} {
		require.False(t, Matches(lines, etag), lines)
	}
}
