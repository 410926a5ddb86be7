// Package npm tests the npm package that cmd/wasm/pack packs. Its programs run with Node; the
// modules vectors.mjs, functions.mjs and picture.mjs also run in browsers.
package npm
