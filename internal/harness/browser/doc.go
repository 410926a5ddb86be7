// Package browser tests the pages of the server in Chromium, Firefox and WebKitGTK, with
// the server that people run. These commands install what the tests need and run them:
//
//	apt-get install chromium firefox-esr webkit2gtk-driver xvfb fonts-noto-core zbar-tools librsvg2-bin poppler-utils nodejs npm python3
//	npm ci --prefix internal/harness/browser
//	cmd/wasm/build
//	go test -v ./internal/harness/browser
//
// The tests themselves are in JavaScript: main.mjs runs all of them in one engine. The
// last line of the test "the time from a key press to the picture" has the median.
// HAILMARK_SCAN=full fails if it is more than 16 ms, which needs a quiet machine.
package browser
