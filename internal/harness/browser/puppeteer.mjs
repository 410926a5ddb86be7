// The driver of Chromium and Firefox.
import puppeteer from 'puppeteer-core'
import { patience } from './browser.mjs'

const programs = { chromium: '/usr/bin/chromium', firefox: '/usr/bin/firefox-esr' }

export async function launchPuppeteer({ folder, downloads, proxy, dark, wasm }, engine) {
  const chromium = engine === 'chromium'
  const [proxyHost, proxyPort] = proxy.split(':')
  const browser = await puppeteer.launch({
    browser: chromium ? 'chrome' : 'firefox',
    executablePath: programs[engine],
    headless: true,
    timeout: patience,
    protocolTimeout: 2 * patience,
    userDataDir: chromium ? `${folder}/profile` : undefined,
    env: { ...process.env, HOME: folder, LANG: 'en_US.UTF-8', LANGUAGE: 'en' },
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
  const [page] = await browser.pages()
  page.setDefaultTimeout(patience)
  const messages = []
  page.on('console', (message) => messages.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => messages.push(`error: ${error.message}`))
  if (chromium) {
    const session = await browser.target().createCDPSession()
    await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: downloads })
    await session.send('Browser.grantPermissions', { permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'] })
  }
  return new Driver(browser, page, messages)
}

class Driver {
  #messages

  constructor(browser, page, messages) {
    this.browser = browser
    this.page = page
    this.#messages = messages
  }

  close() {
    return this.browser.close()
  }

  open(url) {
    this.#messages.length = 0
    return this.page.goto(url)
  }

  evaluate(source, args) {
    return this.page.evaluate(`(${source})(...${JSON.stringify(args)})`)
  }

  async click(selector) {
    await this.page.click(selector)
    return true
  }

  type(text) {
    return this.page.keyboard.type(text)
  }

  async press(combination) {
    const keys = combination.split('+')
    for (const key of keys.slice(0, -1)) await this.page.keyboard.down(key)
    await this.page.keyboard.press(keys.at(-1))
    for (const key of keys.slice(0, -1).reverse()) await this.page.keyboard.up(key)
  }

  async upload(selector, path) {
    const field = await this.page.$(selector)
    await field.uploadFile(path)
  }

  resize(width, height) {
    return this.page.setViewport({ width, height })
  }

  messages() {
    return this.#messages
  }

  clipboard() {
    return this.page.evaluate('navigator.clipboard.readText()')
  }

  print() {
    return this.page.pdf({ format: 'a4' })
  }

  screenshot(clip) {
    return this.page.screenshot({ type: 'png', ...clip })
  }
}
