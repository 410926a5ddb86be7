// Draws the image of the page for README.md, from a running server:
//
//	node internal/check/harness/browser/screenshots.mjs http://127.0.0.1:8080 docs/images
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { typeLink } from './one.mjs'
import { Session } from './session.mjs'

const [server, folder] = process.argv.slice(2)
await mkdir(folder, { recursive: true })
const session = await Session.start(server, 'chromium')
try {
  await session.open()
  await session.browser.resize(800, 760)
  await session.browser.choose('#theme', 'light')
  await typeLink(session.browser)
  await session.browser.evaluate(() => {
    document.activeElement.blur()
    scrollTo(0, 0)
  })
  await writeFile(join(folder, 'page-one.png'), await session.browser.screenshot())
} finally {
  await session.close()
}
