// Package npm tests the npm package's archive in Node. You should run npm ci in its folder before.
// The page's tests load some of its scripts in browsers, so these don't import Node modules.
package npm
