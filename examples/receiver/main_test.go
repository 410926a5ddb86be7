package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReceiver(t *testing.T) {
	var out bytes.Buffer
	post := func(payload string) int {
		w := httptest.NewRecorder()
		receiver(&out).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/webhook", strings.NewReader(payload)))
		return w.Code
	}

	require.Equal(t, http.StatusOK, post(`{"entry":[{"changes":[{"value":{
		"contacts":[{"profile":{"name":"Jane","username":"@jane"},"user_id":"US.13491208655302741918"}],
		"messages":[{"from_user_id":"US.13491208655302741918","id":"wamid.1"}]}}]}]}`))
	require.Equal(t, "message bsuid=\"US.13491208655302741918\" phone=\"\" username=\"jane\" name=\"Jane\"\n", out.String())
	require.Equal(t, http.StatusBadRequest, post(`{`))
	require.Equal(t, http.StatusUnprocessableEntity, post(`{}`))
	require.Equal(t, http.StatusBadRequest, post(strings.Repeat(" ", maxPayload+1)))
}
