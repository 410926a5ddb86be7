// Browser drives two engines in the same way: Chromium over the DevTools protocol, and
// Firefox over WebDriver BiDi.
import { mkdtemp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import puppeteer from 'puppeteer-core'

const programs = { chromium: '/usr/bin/chromium', firefox: '/usr/bin/firefox-esr' }

/** Every wait ends after a minute. */
const patience = 60_000

/** Calls f until it returns something that is true, and returns that. */
export async function eventually(what, f) {
  const end = Date.now() + patience
  for (;;) {
    const value = await f()
    if (value) return value
    if (Date.now() > end) throw new Error(`waited a minute for ${what}`)
    await sleep(20)
  }
}

export class Browser {
  #program
  #page
  #folder
  #downloads
  #messages = []

  /**
   * Starts a browser with an empty profile.
   *
   * - proxy: host and port of the HTTP proxy for all hosts except 127.0.0.1
   * - dark: the system prefers dark colors
   * - wasm: false for an engine without WebAssembly
   * - offline: true for an engine with service workers, which load all files of the page after its first code
   */
  static async launch(engine, { proxy, dark = false, wasm = true, offline = false }) {
    const browser = new Browser()
    browser.engine = engine
    browser.#folder = await mkdtemp(join(tmpdir(), `hailmark-${engine}-`))
    const downloads = (browser.#downloads = join(browser.#folder, 'downloads'))
    await mkdir(downloads)
    const chromium = engine === 'chromium'
    const [proxyHost, proxyPort] = proxy.split(':')
    browser.#program = await puppeteer.launch({
      browser: chromium ? 'chrome' : 'firefox',
      executablePath: programs[engine],
      headless: true,
      timeout: patience,
      protocolTimeout: 2 * patience,
      userDataDir: chromium ? `${browser.#folder}/profile` : undefined,
      env: { ...process.env, HOME: browser.#folder, LANG: 'en_US.UTF-8', LANGUAGE: 'en' },
      args: chromium
        ? [
            '--no-sandbox', // root has none
            '--disable-dev-shm-usage', // containers have 64 MB
            '--disable-gpu',
            '--lang=en-US',
            `--proxy-server=${proxy}`,
            `--blink-settings=preferredColorScheme=${dark ? 0 : 1}`,
            ...(wasm ? [] : ['--js-flags=--jitless']),
          ]
        : [],
      extraPrefsFirefox: {
        'network.proxy.type': 1,
        'network.proxy.http': proxyHost,
        'network.proxy.http_port': Number(proxyPort),
        'network.proxy.ssl': proxyHost,
        'network.proxy.ssl_port': Number(proxyPort),
        'network.captive-portal-service.enabled': false,
        'network.connectivity-service.enabled': false,
        'browser.download.folderList': 2,
        'browser.download.dir': downloads,
        'browser.download.alwaysOpenPanel': false,
        'browser.helperApps.neverAsk.saveToDisk': 'image/png,image/svg+xml,application/pdf,application/zip,text/csv,application/x-ndjson,text/html',
        'pdfjs.disabled': true,
        'dom.events.testing.asyncClipboard': true,
        'layout.css.prefers-color-scheme.content-override': dark ? 0 : 1,
        'intl.accept_languages': 'en-US',
        'javascript.options.wasm': wasm,
      },
    })
    const [page] = await browser.#program.pages()
    browser.#page = page
    page.setDefaultTimeout(patience)
    if (!offline) await page.evaluateOnNewDocument(() => delete Navigator.prototype.serviceWorker)
    page.on('console', (message) => browser.#messages.push(`${message.type()}: ${message.text()}`))
    page.on('pageerror', (error) => browser.#messages.push(`error: ${error.message}`))
    if (chromium) {
      const session = await browser.#program.target().createCDPSession()
      await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: downloads })
      await session.send('Browser.grantPermissions', { permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'] })
    }
    return browser
  }

  async close() {
    await this.#program.close()
    // A process of the browser may still write while it ends.
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }

  open(url) {
    this.#messages.length = 0
    return this.#page.goto(url)
  }

  /** Calls a function in the page and returns what it returns. The policy of the page does not apply. */
  evaluate(f, ...args) {
    return this.#page.evaluate(`(${f})(...${JSON.stringify(args)})`)
  }

  /** Waits until a function in the page returns something that is true, and returns that. */
  until(f, ...args) {
    return eventually(`${f} ${JSON.stringify(args)} in ${this.engine}`, () => this.evaluate(f, ...args))
  }

  /** Waits until an element exists and is visible. */
  see(selector) {
    return this.until((selector) => {
      const element = document.querySelector(selector)
      return element !== null && element.getClientRects().length > 0
    }, selector)
  }

  /** Waits until an element is visible and enabled. */
  #enabled(selector) {
    return this.until((selector) => {
      const element = document.querySelector(selector)
      return element !== null && element.getClientRects().length > 0 && !element.matches(':disabled')
    }, selector)
  }

  /** Waits until the page's worker has nothing left to do. */
  #settled() {
    return this.until(() => !('busy' in document.documentElement.dataset))
  }

  /**
   * Clicks on an element once it is enabled and nothing moves it any more: a click on a disabled
   * button, or next to one that moved, would be lost.
   */
  async click(selector) {
    await this.#enabled(selector)
    await this.until(async (selector) => {
      const element = document.querySelector(selector)
      if ([...document.images].some((image) => !image.complete)) return false
      element.scrollIntoView({ block: 'center', behavior: 'instant' })
      const place = () => JSON.stringify(element.getBoundingClientRect())
      const frame = () => new Promise(requestAnimationFrame)
      const before = place()
      await frame()
      await frame()
      return place() === before
    }, selector)
    await this.#page.click(selector)
    await this.#settled()
  }

  /** Types text with the keyboard into the element that has the focus. */
  type(text) {
    return this.#page.keyboard.type(text)
  }

  /** Presses a key, such as Tab or Enter. */
  press(key) {
    return this.#page.keyboard.press(key)
  }

  /** Replaces the value of a field with the keyboard, and leaves it. */
  async fill(selector, text) {
    await this.#enabled(selector)
    await this.evaluate((selector) => {
      const field = document.querySelector(selector)
      field.focus()
      field.select()
    }, selector)
    await this.press('Backspace')
    await this.type(text)
    await this.leave()
    await this.#settled()
  }

  /** Leaves the field that has the focus. The window of a headless Firefox has no focus, so no event says so there. */
  leave() {
    return this.evaluate((silent) => {
      const field = document.activeElement
      field.blur()
      if (silent) field.dispatchEvent(new Event('change', { bubbles: true }))
    }, this.engine === 'firefox')
  }

  /** Chooses an option of a select element. */
  async choose(selector, value) {
    await this.#enabled(selector)
    await this.evaluate((selector, value) => {
      const field = document.querySelector(selector)
      field.value = value
      if (field.value !== value) throw new Error(`${selector} has no option ${value}`)
      field.dispatchEvent(new Event('input', { bubbles: true }))
      field.dispatchEvent(new Event('change', { bubbles: true }))
    }, selector, value)
    await this.#settled()
  }

  /** Chooses a file in a file field. */
  async upload(selector, name, content) {
    const path = join(this.#folder, name)
    await writeFile(path, content)
    const field = await this.#page.$(selector)
    await field.uploadFile(path)
  }

  /** Calls f, which starts a download, and returns the file that arrives: {name, path, bytes} */
  async download(f) {
    await f()
    // Both engines give the file its name when it is complete; Firefox makes an empty one before.
    const name = await eventually(`a download of ${this.engine}`, async () => {
      const names = await readdir(this.#downloads)
      if (names.length !== 1 || /\.(part|crdownload)$|^\./.test(names[0])) return
      return (await stat(join(this.#downloads, names[0]))).size > 0 && names[0]
    })
    // The next file can have the same name.
    const path = join(await mkdtemp(join(this.#folder, 'file-')), name)
    await rename(join(this.#downloads, name), path)
    return { name, path, bytes: await readFile(path) }
  }

  /** Sets the size of the view in CSS pixels. */
  async resize(width, height) {
    await this.#page.setViewport({ width, height })
    await this.until((width) => innerWidth === width, width)
  }

  /** Returns what the console shows since the page was opened. */
  messages() {
    return this.#messages
  }

  /** Returns the text on the clipboard. */
  clipboard() {
    return this.#page.evaluate('navigator.clipboard.readText()')
  }

  /** Prints the page and returns the path of the PDF. */
  async print() {
    const path = join(this.#folder, 'print.pdf')
    await writeFile(path, await this.#page.pdf({ format: 'a4' }))
    return path
  }

  /** Loads a page in Chromium with an empty cache and a slow network until f returns true, and returns how many bytes arrive. */
  async measure(url, f) {
    await this.open('about:blank')
    const session = await this.#page.createCDPSession()
    let bytes = 0
    session.on('Network.responseReceived', ({ response }) => (bytes += response.encodedDataLength))
    session.on('Network.dataReceived', ({ encodedDataLength }) => (bytes += encodedDataLength))
    await session.send('Network.enable')
    await session.send('Network.setCacheDisabled', { cacheDisabled: true })
    await session.send('Network.emulateNetworkConditions', { offline: false, latency: 562.5, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 })
    await this.open(url)
    await this.until(f)
    await session.detach()
    return bytes
  }

  screenshot(clip) {
    return this.#page.screenshot({ type: 'png', ...clip })
  }
}
