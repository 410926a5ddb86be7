// Runs the WebAssembly module in the browser: the test vectors, and codes that are
// compared with those of the Go library.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import test from 'node:test'
import { sources } from './site.mjs'

const others = ['http.json', 'names.json', 'vectors.schema.json']
const names = readdirSync(new URL('../../../../vectors/', import.meta.url)).filter((name) => name.endsWith('.json') && !others.includes(name))

export function testLibrary(session, picturesFile) {
  test('the test vectors pass', async (t) => {
    const { browser } = session
    await session.open()
    const { passed, skipped, failures } = await browser.evaluate(async (sources, names) => {
      const { load } = await import(`${sources}cmd/wasm/npm/index.js`)
      const { runVectors } = await import(`${sources}internal/check/harness/npm/vectors.mjs`)
      const files = {}
      for (const name of names) files[name] = await (await fetch(`${sources}vectors/${name}`)).json()
      return runVectors(await load(), files)
    }, sources, names)
    t.diagnostic(`${passed} vectors passed in ${session.browser.engine}; without a function: ${JSON.stringify(skipped)}`)
    assert.deepEqual(failures, [])
    assert.ok(passed > 500, `${passed} vectors`)
  })

  test('images equal those of the Go library', async (t) => {
    const { browser } = session
    const pictures = JSON.parse(readFileSync(picturesFile, 'utf8'))
    await session.open()
    const sums = await browser.evaluate(async (sources, pictures) => {
      const { load } = await import(`${sources}cmd/wasm/npm/index.js`)
      const { qrcode } = await load(document.querySelector('script[type=module]').src.replace('app.js', 'core.wasm'))
      return Promise.all(
        pictures.map(async ({ text, options }) => {
          const digest = await crypto.subtle.digest('SHA-256', qrcode.renderQR(text, options))
          return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
        }),
      )
    }, sources, pictures)
    assert.deepEqual(sums, pictures.map(({ sum }) => sum))
    t.diagnostic(`${sums.length} images are equal in ${session.browser.engine}`)
  })
}
