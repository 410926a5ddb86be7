// Tests pages for the success criteria of WCAG 2.2, levels A and AA, with axe-core.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { makeZip } from './many.mjs'
import { openDesign, typeLink, waitForCode } from './one.mjs'

const axe = readFileSync(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

export const desktop = [1280, 1024]
export const narrow = [320, 800]
export const zoomed = [320, 256] // 1280 x 1024 pixels at 400 %

/** Fails if axe-core finds something, or if the page is wider than the window. */
export async function assertAccessible(browser) {
  await browser.evaluate(`() => { ${axe} }`)
  const findings = await browser.evaluate(async () => {
    const { violations } = await axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`))
  })
  assert.deepEqual(findings, [])
  const [width, view] = await browser.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth])
  assert.ok(width <= view, `the page is ${width} pixels wide in a window of ${view}`)
}

const looks = {
  'in light colors': { theme: 'light' },
  'in dark colors': { theme: 'dark' },
  'at 320 pixels': { size: narrow },
  'at 400 % zoom': { size: zoomed },
}

export function testAccess(session) {
  for (const [name, { theme, size }] of Object.entries(looks)) {
    test(`the page is accessible ${name}`, async () => {
      const { browser } = session
      await session.open()
      await browser.resize(...(size ?? desktop))
      try {
        if (theme) await browser.choose('#theme', theme)
        await typeLink(browser)
        await openDesign(browser)
        await browser.fill('#caption', '☃') // no glyph, so that a problem is visible
        await waitForCode(browser, 'caption', 'print_unsupported_character')
        await assertAccessible(browser)
        await makeZip(browser)
        await browser.choose('#output', 'labels') // it has the most fields
        await browser.fill('#many-caption', '☃')
        await waitForCode(browser, 'many-caption', 'print_unsupported_character')
        await assertAccessible(browser)
      } finally {
        await browser.resize(...desktop)
      }
    })
  }
}

/** Tests the reference. Its colors are those that the system prefers. */
export function testReferenceAccess(session, sizes) {
  for (const [name, size] of Object.entries(sizes)) {
    test(`the reference is accessible ${name}`, async () => {
      const { browser } = session
      await browser.resize(...size)
      try {
        await session.open('/docs')
        await assertAccessible(browser)
      } finally {
        await browser.resize(...desktop)
      }
    })
  }
}
