// The page without WebAssembly, and as a file.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { checkWebhook } from './check.mjs'
import { makeZip } from './many.mjs'
import { codes, link, readDownload, readPicture, typeLink, waitForCode } from './one.mjs'

/** Tests a browser without WebAssembly. */
export function testFallback(session) {
  test('without WebAssembly the page uses the API and says so', async () => {
    const { browser, site } = session
    await session.open()
    assert.equal(await browser.evaluate(() => typeof WebAssembly), 'undefined')
    assert.equal(await browser.evaluate(() => document.documentElement.dataset.engine), 'api')
    assert.ok(await browser.evaluate(() => !document.querySelector('#notice').hidden && document.querySelector('#notice').textContent !== ''))
    await typeLink(browser)
    assert.equal(await readPicture(browser), link)
    for (const format of ['png', 'svg']) assert.equal(await readDownload(browser, format), link)
    await checkWebhook(browser)
    assert.ok(site.requests.some(({ path }) => path.startsWith('/api/v1/qr?')))
    await session.assertSilent()
  })

  test('without WebAssembly problems stand beside the field', async () => {
    const { browser } = session
    await session.open()
    await browser.fill('#who', 'Jane.Doe!')
    await waitForCode(browser, 'who', 'username_invalid_chars')
    assert.ok(await browser.evaluate(() => document.querySelector('#one-result').hidden))
    await typeLink(browser)
    assert.deepEqual(await codes(browser, 'who'), [])
  })
}

/** Tests a page for which the server sends no module. The browser must not have it in its cache. */
export function testWithoutModule(session) {
  test('without the module the page uses the API and says so', async () => {
    const { browser, site } = session
    site.hide(/\.wasm$/)
    try {
      await session.open()
      assert.equal(await browser.evaluate(() => document.documentElement.dataset.engine), 'api')
      assert.ok(await browser.evaluate(() => !document.querySelector('#notice').hidden))
      await typeLink(browser)
      assert.equal(await readPicture(browser), link)
    } finally {
      site.hide()
    }
  })
}

export function testOneFile(session, server) {
  test('the page as one file opens from a disk', async () => {
    const { browser } = session
    const response = await fetch(`${server}/-/hailmark.html`)
    assert.equal(response.status, 200)
    const folder = await mkdtemp(join(tmpdir(), 'hailmark-page-'))
    try {
      const path = join(folder, 'hailmark.html')
      await writeFile(path, await response.text())
      await session.open() // which forgets earlier requests
      session.site.requests.length = 0
      await browser.open(pathToFileURL(path).href)
      await browser.until(() => 'ready' in document.documentElement.dataset)
      assert.equal(await browser.evaluate(() => document.documentElement.dataset.engine), 'module')
      await typeLink(browser)
      assert.equal(await readPicture(browser), link)
      for (const format of ['png', 'svg', 'pdf']) assert.equal(await readDownload(browser, format), link)
      await makeZip(browser)
      await checkWebhook(browser)
      assert.deepEqual(session.site.requests, [])
      await session.assertSilent()
    } finally {
      await rm(folder, { recursive: true })
    }
  })
}
