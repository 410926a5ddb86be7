// A session is one browser and one site, in which tests open pages.
import assert from 'node:assert/strict'
import test from 'node:test'
import { Browser } from './browser.mjs'
import { Site } from './site.mjs'

// Hosts that browsers connect to for themselves.
const ownHosts = /(^|\.)(google\.com|googleapis\.com|gvt1\.com|mozilla\.(com|net|org)|firefox\.com)(:\d+)?$/

export class Session {
  /** Starts a browser for the tests of one engine. Options are those of Browser.launch. */
  static async start(server, engine, options = {}) {
    const session = new Session()
    session.site = await Site.start(server)
    try {
      session.browser = await Browser.launch(engine, { proxy: session.site.host, ...options })
    } catch (error) {
      await session.site.close()
      throw error
    }
    return session
  }

  async close() {
    await this.browser.close()
    await this.site.close()
  }

  /** Opens a path of the site and waits until the page is ready. */
  async open(path = '/') {
    const { browser, site } = this
    await browser.open('about:blank')
    site.requests.length = site.reports.length = site.foreign.length = 0
    await browser.open(site.url + path)
    if (path.startsWith('/#') || path === '/') await browser.until(() => 'ready' in document.documentElement.dataset)
  }

  /** Fails if the page reported a problem to the console or as a violation of its policy, or contacted another host. */
  async assertSilent() {
    assert.deepEqual(await this.browser.messages(), [], 'the console shows messages')
    assert.deepEqual(this.site.reports, [], 'the page violates its policy')
    assert.deepEqual(this.site.foreign.filter((host) => !ownHosts.test(host)), [], 'the page contacts another host')
  }

  /** Defines a test that uses the page, which must only load its own parts after it is ready. Firefox loads the icon when it has time. */
  use(name, f, path = '/') {
    test(name, async () => {
      await this.open(path)
      const loaded = this.site.requests.length
      await f(this.browser, this.site)
      assert.deepEqual(this.site.requests.slice(loaded).filter(({ path }) => !/^\/-\/\w+\/(page\.wasm|worker\.js|icon\.svg)$/.test(path)), [], 'the page sends requests after it has loaded')
      await this.assertSilent()
    })
  }
}
