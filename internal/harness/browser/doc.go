// Package browser tests the pages of the server in Chromium and Firefox, with the
// server that people run. These commands install what the tests need and run them:
//
//	apt-get install chromium firefox-esr fonts-noto-core zbar-tools librsvg2-bin poppler-utils nodejs npm python3
//	npm ci --prefix internal/harness/browser
//	cmd/wasm/build
//	HAILMARK_TESTS=all go test -v ./internal/harness/browser
//
// The tests themselves are in JavaScript: main.mjs runs all of them in one engine.
package browser
