// The driver of WebKitGTK: its MiniBrowser on a display in memory, driven by WebDriver.
import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { eventually } from './browser.mjs'

export async function launchWebKit({ folder, downloads, proxy, dark, wasm }) {
  const config = join(folder, 'config')
  await mkdir(join(config, 'gtk-3.0'), { recursive: true })
  await writeFile(join(config, 'user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${downloads}"\n`)
  // The toolbar would not let the window become narrower than 447 pixels.
  await writeFile(join(config, 'gtk-3.0', 'gtk.css'), '* { min-width: 0; min-height: 0; padding: 0; margin: 0; border-width: 0; font-size: 1px; -gtk-icon-transform: scale(0); }\n')

  const processes = []
  const start = (program, args, options) => {
    const child = spawn(program, args, { ...options, detached: true })
    processes.push(child)
    child.exited = new Promise((resolve) => child.once('close', resolve))
    child.once('error', (error) => (child.failure = error))
    return child
  }
  const kill = () => {
    for (const { pid } of processes) {
      try {
        if (pid !== undefined) process.kill(-pid, 'SIGKILL') // the process and those that it started
      } catch {} // it has ended
    }
  }
  process.once('exit', kill)
  const stop = async () => {
    kill()
    await Promise.all(processes.map(({ pid, exited }) => pid !== undefined && exited))
    process.off('exit', kill)
  }

  try {
    const display = start('Xvfb', ['-displayfd', '3', '-screen', '0', '1600x1200x24', '-nolisten', 'tcp', '-noreset'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
    let number = ''
    display.stdio[3].on('data', (chunk) => (number += chunk))
    await eventually('Xvfb', () => {
      if (display.failure) throw display.failure
      return number.endsWith('\n')
    })

    const port = await freePort()
    const driver = start('WebKitWebDriver', [`--port=${port}`], {
      stdio: 'ignore',
      env: {
        ...process.env,
        DISPLAY: `:${number.trim()}`,
        GDK_BACKEND: 'x11',
        HOME: folder,
        XDG_CONFIG_HOME: config,
        XDG_CACHE_HOME: join(folder, 'cache'),
        XDG_DATA_HOME: join(folder, 'data'),
        LANG: 'en_US.UTF-8',
        LANGUAGE: 'en',
        NO_AT_BRIDGE: '1',
        GIO_USE_VFS: 'local',
        GSETTINGS_BACKEND: 'memory',
        LIBGL_ALWAYS_SOFTWARE: '1',
        WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1', // root has none
        ...(wasm ? {} : { JSC_useWasm: '0' }),
      },
    })
    const base = `http://127.0.0.1:${port}`
    await eventually('WebKitWebDriver', async () => {
      if (driver.failure) throw driver.failure
      try {
        return (await fetch(`${base}/status`)).ok
      } catch {}
    })
    const args = ['--automation', '--javascript-can-access-clipboard=true', `--proxy=http://${proxy}`, '--ignore-host=127.0.0.1']
    if (dark) args.push('--dark-mode')
    const { sessionId } = await send('POST', `${base}/session`, { capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': { args } } } })
    return new Driver(`${base}/session/${sessionId}`, stop)
  } catch (error) {
    await stop()
    throw error
  }
}

async function freePort() {
  const server = createServer()
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function send(method, url, body) {
  const response = await fetch(url, { method, body: body && JSON.stringify(body) })
  const { value } = await response.json()
  if (!response.ok) throw new Error(`${value.error}: ${value.message}`)
  return value
}

const elementKey = 'element-6066-11e4-a52e-4f735466cecf'

// The code points that WebDriver gives to keys without a character.
const keyCodes = { Backspace: '\uE003', Tab: '\uE004', Enter: '\uE007', Shift: '\uE008', Control: '\uE009', Escape: '\uE00C', Space: ' ', End: '\uE010', Home: '\uE011', ArrowLeft: '\uE012', ArrowUp: '\uE013', ArrowRight: '\uE014', ArrowDown: '\uE015', Delete: '\uE017' }

class Driver {
  constructor(session, stop) {
    this.session = session
    this.stop = stop
  }

  async close() {
    try {
      await send('DELETE', this.session)
    } finally {
      await this.stop()
    }
  }

  open(url) {
    return send('POST', `${this.session}/url`, { url })
  }

  evaluate(source, args) {
    return send('POST', `${this.session}/execute/sync`, { script: `return (${source})(...arguments)`, args })
  }

  async #element(selector) {
    const element = await send('POST', `${this.session}/element`, { using: 'css selector', value: selector })
    return `${this.session}/element/${element[elementKey]}`
  }

  /** Reports whether the element could be clicked. While the page scrolls, it cannot. */
  async click(selector) {
    try {
      await send('POST', `${await this.#element(selector)}/click`, {})
      return true
    } catch (error) {
      if (/^element (not interactable|click intercepted)/.test(error.message)) return false
      throw error
    }
  }

  type(text) {
    return this.#keys([...text].flatMap((value) => [{ type: 'keyDown', value }, { type: 'keyUp', value }]))
  }

  press(combination) {
    const keys = combination.split('+').map((key) => keyCodes[key] ?? key)
    const down = keys.map((value) => ({ type: 'keyDown', value }))
    const up = keys.toReversed().map((value) => ({ type: 'keyUp', value }))
    return this.#keys([...down, ...up])
  }

  #keys(actions) {
    return send('POST', `${this.session}/actions`, { actions: [{ type: 'key', id: 'keyboard', actions }] })
  }

  async upload(selector, path) {
    await send('POST', `${await this.#element(selector)}/value`, { text: path })
  }

  async resize(width, height) {
    const outer = await this.evaluate('() => [outerWidth - innerWidth, outerHeight - innerHeight]', [])
    await send('POST', `${this.session}/window/rect`, { width: width + outer[0], height: height + outer[1] })
  }

  /** Returns the messages that console.js recorded, because WebKit does not report the console of automated pages. */
  messages() {
    return this.evaluate('() => globalThis.consoleMessages ?? []', [])
  }

  clipboard() {
    return this.evaluate('() => navigator.clipboard.readText()', [])
  }

  async screenshot() {
    return Buffer.from(await send('GET', `${this.session}/screenshot`), 'base64')
  }
}
