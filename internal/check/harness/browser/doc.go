// Package browser tests the server's pages in Chromium and Firefox. You should install its
// dependencies before:
//
//	apt-get install chromium firefox-esr fonts-noto-core zbar-tools librsvg2-bin poppler-utils nodejs npm python3
//	npm ci --prefix internal/check/harness/browser
//	cmd/wasm/build
//	HAILMARK_TESTS=all go test -v ./internal/check/harness/browser
//
// It doesn't contain assertions in Go. Instead, main.mjs specifies the tests in JavaScript.
package browser
