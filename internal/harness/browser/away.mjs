// The page without WebAssembly, and as a file.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { checkWebhook } from './check.mjs'
import { makeZip } from './many.mjs'
import { link, readDownload, readPicture, typeLink } from './one.mjs'

/** Tests a browser without WebAssembly. */
export function testWithoutWebAssembly(session) {
  test('without WebAssembly the page says so and sends nothing', async () => {
    const { browser, site } = session
    await session.open()
    assert.equal(await browser.evaluate(() => typeof WebAssembly), 'undefined')
    await browser.see('#notice')
    assert.ok(await browser.evaluate(() => document.querySelector('#retry').hidden))
    const loaded = site.requests.length
    await browser.fill('#who', 'jane.doe')
    assert.deepEqual(site.requests.slice(loaded), [])
  })
}

/** Tests a page whose parts can't be loaded. The browser must not have them in its cache. */
export function testWithoutModule(session) {
  test('a script that fails leaves a notice', async () => {
    const { browser, site } = session
    site.hide(/(check\.js|\.wasm)$/)
    try {
      await browser.open(`${site.url}/?`)
      await browser.see('#stalled')
      await browser.until(() => getComputedStyle(document.querySelector('#stalled')).visibility === 'visible')
      assert.ok(await browser.evaluate(() => document.querySelector('#stalled a').href === location.href))
    } finally {
      site.hide()
    }
  })

  test('a module that fails can be loaded again, and nothing that was typed is lost', async () => {
    const { browser, site } = session
    site.hide(/\.wasm$/)
    try {
      await session.open()
      await browser.see('#retry')
      await browser.fill('#who', 'jane.doe')
      assert.deepEqual(site.requests.filter(({ path }) => path.startsWith('/api/')), [])
    } finally {
      site.hide()
    }
    await browser.click('#retry')
    await browser.until(() => document.querySelector('#link').href === 'https://wa.me/jane.doe')
    assert.ok(await browser.evaluate(() => document.querySelector('#notice').hidden))
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
