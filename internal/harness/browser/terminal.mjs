// Draws the picture of a terminal for README.md. The commands run in a pseudo terminal, so
// they print what a person sees:
//
//	go build -o /tmp/hailmark ./cmd/hailmark
//	node internal/harness/browser/terminal.mjs /tmp/hailmark docs/images/terminal.png
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { Browser } from './browser.mjs'

const commands = [
  'hailmark validate username Jane.Doe',
  'hailmark link jane.doe --text "Hi"',
  'hailmark qr jane.doe --text "Hi"',
]

const [program, picture] = process.argv.slice(2)

function run(command) {
  const shell = `hailmark() { ${program} "$@"; }; stty cols 90; ${command}; true`
  return execFileSync('script', ['--quiet', '--return', '--command', shell, '/dev/null'], {
    encoding: 'utf8',
    env: { ...process.env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
  })
}

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

// The two colours of a code are the only escape sequences in the output.
const toHTML = (output) =>
  escape(output.replaceAll('\r\n', '\n'))
    .replaceAll('\x1b[38;5;231m\x1b[48;5;16m', '<b>')
    .replaceAll('\x1b[0m', '</b>')

const lines = commands.map((command) => `<i>$</i> ${escape(command)}\n${toHTML(run(command))}`)
if (lines.some((text) => text.includes('\x1b'))) throw new Error('the output has an unknown escape sequence')

const browser = await Browser.launch('chromium', { proxy: '127.0.0.1:9' }) // it needs no site
try {
  await browser.resize(800, 440)
  await browser.evaluate((html) => { document.body.innerHTML = html }, `<style>
    body { margin: 0; background: #1c2128 }
    pre { margin: 0; padding: 16px; color: #d0d7de; font: 14px/16px 'DejaVu Sans Mono'; letter-spacing: -.43px; white-space: pre-wrap }
    i { color: #7ee787; font-style: normal }
    b { color: #fff; background: #000; font-weight: normal }
  </style><pre>${lines.join('')}</pre>`)
  await writeFile(picture, await browser.screenshot())
} finally {
  await browser.close()
}
