// The page without WebAssembly, without its parts, and on a slow network.
import assert from 'node:assert/strict'
import test from 'node:test'
import { readCodes } from './decode.mjs'
import { openDesign } from './one.mjs'
import { Session } from './session.mjs'
import { Site } from './site.mjs'

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
    assert.deepEqual(site.requests.slice(loaded).filter(({ path }) => !path.startsWith('/-/')), []) // parts of the page can arrive late
  })
}

/** Tests a page whose parts can't be loaded. The browser must not have them in its cache. */
export function testWithoutModule(session) {
  test('a script that fails leaves a notice', async () => {
    const { browser, site } = session
    site.hide(/(app\.js|\.wasm)$/)
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

  test('while the second module is missing, no code of another entry can be saved', async () => {
    const { browser, site } = session
    await session.open()
    site.hide(/page\.wasm$/)
    try {
      await browser.fill('#who', 'jane.doe')
      await openDesign(browser)
      await browser.fill('#caption', 'Hello')
      await browser.see('#retry')
      await browser.fill('#who', 'bob.2')
      assert.ok(await browser.evaluate(() => document.querySelector('#download-png').disabled))
      await browser.until(() => !('loading' in document.documentElement.dataset)) // a request that already failed would fail the next click
    } finally {
      site.hide()
    }
    await browser.see('#retry')
    await browser.click('#retry')
    await browser.until(() => !document.querySelector('#download-png').disabled)
    assert.equal(await browser.evaluate(() => document.querySelector('#link').href), 'https://wa.me/bob.2')
  })
}

/** Tests a file that needs the second module, on a site of its own, of which no browser has it in its cache. */
export function testLateFile({ browser }, server) {
  test('a PDF is of the code that was there at the click, although another one follows before the second module', async () => {
    const site = await Site.start(server)
    try {
      site.hide(/page\.wasm$/)
      await browser.open(`${site.url}/`)
      await browser.until(() => 'ready' in document.documentElement.dataset)
      await browser.fill('#who', 'jane.doe')
      await browser.click('#download-pdf')
      await browser.see('#retry')
      await browser.fill('#who', 'bob.2')
      await browser.until(() => document.querySelector('#link').href === 'https://wa.me/bob.2' && !('loading' in document.documentElement.dataset))
      site.hide()
      const file = await browser.download(() => browser.click('#retry'))
      assert.equal(file.name, 'jane.doe.pdf')
      assert.deepEqual(await readCodes(file.path), ['https://wa.me/jane.doe'])
    } finally {
      await site.close()
    }
  })
}

/** Counts what Chromium loads on a slow network (4G of Lighthouse) until the page has drawn its first code. */
export function testFirstCode(session) {
  test('the first code needs at most 720 kB', async (t) => {
    const { browser, site } = session
    const bytes = await browser.measure(`${site.url}/`, () => performance.getEntriesByName('first-code').length > 0)
    const marks = await browser.evaluate(() => [performance.getEntriesByName('first-contentful-paint')[0], performance.getEntriesByName('first-code')[0]].map(({ startTime }) => Math.round(startTime)))
    t.diagnostic(`the first code needs ${bytes} bytes; with 1.6 Mbit/s and 562 ms the sample is visible after ${marks[0]} ms and the page ready after ${marks[1]} ms`)
    assert.ok(bytes <= 720_000, `${bytes} bytes`)
  })
}

/** Tests the service worker in a browser of its own, because it keeps the page's files. */
export function testOffline(server, engine) {
  test('after the first visit, the page works without its server, and goes when the server says so', async () => {
    const session = await Session.start(server, engine, { offline: true })
    const { browser, site } = session
    const worker = '/-/offline.js'
    const caches = () => browser.evaluate(async () => (await globalThis.caches.keys()).length)
    const answers = async (who) => {
      await browser.until(() => 'ready' in document.documentElement.dataset)
      await browser.fill('#who', who)
      await browser.until((who) => document.querySelector('#link').href === `https://wa.me/${who}`, who)
    }
    try {
      await session.open()
      await browser.until(() => navigator.serviceWorker.controller?.state === 'activated')
      assert.equal(await caches(), 1)
      await session.assertSilent()

      // Another release, whose files are missing: it can't be kept, and the old one stays.
      const source = await (await fetch(server + worker)).text()
      const release = source.match(/^const base = "(.*)";$/m)[1]
      site.replace({ [worker]: source.replace(release, '/-/0123456789abcdef') })
      const updates = () => browser.evaluate(async () => {
        const registration = await navigator.serviceWorker.ready
        const ended = new Promise((resolve) => registration.addEventListener('updatefound', () => {
          const { installing } = registration
          installing.addEventListener('statechange', () => resolve(installing.state))
        }))
        await registration.update().catch(() => {}) // Firefox fails if the installation does
        return ended
      })
      assert.equal(await updates(), 'redundant')

      site.cut(true)
      await browser.open(`${site.url}/`)
      await answers('jane.doe')
      assert.ok((await browser.evaluate(() => document.querySelector('link[rel=stylesheet]').href)).includes(release))
      const file = await browser.download(() => browser.click('#download-pdf')) // needs the second module
      assert.deepEqual(await readCodes(file.path), ['https://wa.me/jane.doe'])

      // A server that turned it off.
      site.cut(false)
      site.replace({ [worker]: source.replace(/^const names = .*$/m, 'const names = [];') })
      await browser.open(`${site.url}/`)
      await browser.until(async () => {
        await (await navigator.serviceWorker.getRegistration())?.update().catch(() => {}) // it can be gone by now
        return (await globalThis.caches.keys()).length === 0 && (await navigator.serviceWorker.getRegistrations()).length === 0
      })
    } finally {
      await session.close()
    }
  })
}
