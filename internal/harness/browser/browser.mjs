// Browser drives three engines in the same way: Chromium over the DevTools protocol,
// Firefox over WebDriver BiDi, and WebKitGTK over WebDriver.
import { mkdtemp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { launchPuppeteer } from './puppeteer.mjs'
import { launchWebKit } from './webkit.mjs'

export const engines = ['chromium', 'firefox', 'webkit']

/** Every wait ends after a minute. */
export const patience = 60_000

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
  #driver
  #folder

  /**
   * Starts a browser with an empty profile.
   *
   * - proxy: host and port of the HTTP proxy for all hosts except 127.0.0.1
   * - dark: the system prefers dark colours
   * - wasm: false for an engine without WebAssembly
   */
  static async launch(engine, { proxy, dark = false, wasm = true }) {
    const browser = new Browser()
    browser.engine = engine
    browser.#folder = await mkdtemp(join(tmpdir(), `hailmark-${engine}-`))
    const options = { folder: browser.#folder, downloads: join(browser.#folder, 'downloads'), proxy, dark, wasm }
    await mkdir(options.downloads)
    const launch = engine === 'webkit' ? launchWebKit : launchPuppeteer
    browser.#driver = await launch(options, engine)
    return browser
  }

  async close() {
    await this.#driver.close()
    // A process of the browser may still write while it ends.
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }

  open(url) {
    return this.#driver.open(url)
  }

  /** Calls a function in the page and returns what it returns. The policy of the page does not apply. */
  evaluate(f, ...args) {
    return this.#driver.evaluate(typeof f === 'function' ? f.toString() : f, args)
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

  /** Clicks on an element once it can be clicked. */
  async click(selector) {
    await this.see(selector)
    await eventually(`a click on ${selector} in ${this.engine}`, () => this.#driver.click(selector))
  }

  /** Types text with the keyboard into the element that has the focus. */
  type(text) {
    return this.#driver.type(text)
  }

  /** Presses a key, such as Tab, Enter or Shift+Tab. */
  press(key) {
    return this.#driver.press(key)
  }

  /** Replaces the value of a field with the keyboard. */
  async fill(selector, text) {
    await this.see(selector)
    await this.evaluate((selector) => {
      const field = document.querySelector(selector)
      field.focus()
      field.select()
    }, selector)
    await this.press('Backspace')
    await this.type(text)
  }

  /** Chooses an option of a select element. */
  async choose(selector, value) {
    await this.see(selector)
    await this.evaluate((selector, value) => {
      const field = document.querySelector(selector)
      field.value = value
      if (field.value !== value) throw new Error(`${selector} has no option ${value}`)
      field.dispatchEvent(new Event('input', { bubbles: true }))
      field.dispatchEvent(new Event('change', { bubbles: true }))
    }, selector, value)
  }

  /** Chooses a file in a file field. */
  async upload(selector, name, content) {
    const path = join(this.#folder, name)
    await writeFile(path, content)
    await this.#driver.upload(selector, path)
  }

  /** Calls f, which starts a download, and returns the file that arrives: {name, path, bytes} */
  async download(f) {
    const folder = join(this.#folder, 'downloads')
    await f()
    let last = -1
    const name = await eventually(`a download of ${this.engine}`, async () => {
      const names = await readdir(folder)
      if (names.length !== 1 || /\.(part|crdownload|wkdownload)$|^\./.test(names[0])) return
      const { size } = await stat(join(folder, names[0]))
      const settled = size > 0 && size === last
      last = size
      return settled && names[0]
    })
    // The next file can have the same name.
    const path = join(await mkdtemp(join(this.#folder, 'file-')), name)
    await rename(join(folder, name), path)
    return { name, path, bytes: await readFile(path) }
  }

  /** Sets the size of the view in CSS pixels. */
  async resize(width, height) {
    await this.#driver.resize(width, height)
    await this.until((width) => innerWidth === width, width)
  }

  /** Returns what the console shows since the page was opened. */
  messages() {
    return this.#driver.messages()
  }

  /** Returns the text on the clipboard. */
  clipboard() {
    return this.#driver.clipboard()
  }

  /** Prints the page and returns the path of the PDF. WebKitWebDriver cannot print. */
  async print() {
    const path = join(this.#folder, 'print.pdf')
    await writeFile(path, await this.#driver.print())
    return path
  }

  screenshot(clip) {
    return this.#driver.screenshot(clip)
  }
}
