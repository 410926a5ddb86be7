// The uses of the tab Many.
import assert from 'node:assert/strict'
import { eachFile, readCodes } from './decode.mjs'

const table = 'username,phone,text\njane.doe,,Hello Jane\n,+1 650 555 1234,\nJane,,\nbob.2,,"a, b"\n'
const links = ['https://wa.me/16505551234', 'https://wa.me/bob.2?text=a%2C%20b', 'https://wa.me/jane.doe?text=Hello%20Jane']

export async function makeZip(browser) {
  await browser.click('#tab-many')
  await browser.upload('#table-file', 'people.csv', table)
  await browser.until(() => document.querySelector('#many-status').textContent.includes('people.csv'))
  await browser.click('#start-batch')
  await browser.see('#download-batch')
  const file = await browser.download(() => browser.click('#download-batch'))
  const codes = []
  await eachFile(file.path, async (path) => {
    if (path.endsWith('.png')) codes.push(...(await readCodes(path)))
  })
  assert.deepEqual(codes.sort(), links)
}

export function testMany(session) {
  session.use('a table becomes a ZIP of codes and a report', async (browser) => {
    await makeZip(browser)
    const failed = await browser.evaluate(() => [...document.querySelectorAll('#rows-table [data-status=failed]')].map((row) => [row.dataset.row, row.querySelector('.id').textContent]))
    assert.deepEqual(failed, [['3', 'username_invalid_chars']])

    const csv = await browser.download(() => browser.click('#download-report-csv'))
    const text = csv.bytes.toString()
    assert.match(text, /username_invalid_chars/)
    assert.doesNotMatch(text, /(^|,)"?[=+\-@\t]/m, 'a cell is a formula to a spreadsheet')
    const ndjson = await browser.download(() => browser.click('#download-report-ndjson'))
    const rows = ndjson.bytes.toString().trim().split('\n').map((line) => JSON.parse(line))
    assert.deepEqual(rows.map((row) => row.status), ['ok', 'ok', 'failed', 'ok'])
  })

  session.use('a pasted table becomes label sheets', async (browser) => {
    await browser.click('#tab-many')
    await browser.evaluate((table) => {
      document.querySelector('#table').value = table
      document.querySelector('#table').dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }))
    }, table)
    await browser.choose('#output', 'labels')
    await browser.see('#labels')
    await browser.click('#start-batch')
    await browser.see('#download-batch')
    const file = await browser.download(() => browser.click('#download-batch'))
    assert.match(file.name, /\.pdf$/)
    assert.deepEqual((await readCodes(file.path)).sort(), links)
  })

  session.use('a long table stays cancellable', async (browser) => {
    await browser.click('#tab-many')
    await browser.evaluate(() => {
      const rows = Array.from({ length: 20_000 }, (_, i) => `user.${i}`)
      document.querySelector('#table').value = `username\n${rows.join('\n')}\n`
      document.querySelector('#table').dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }))
    })
    await browser.click('#start-batch')
    await browser.click('#cancel-batch')
    await browser.until(() => document.querySelector('#start-batch').disabled === false)
    assert.ok(await browser.evaluate(() => document.querySelector('#many-result').hidden))
  })

  session.use('an empty table is a problem', async (browser) => {
    await browser.click('#tab-many')
    await browser.click('#start-batch')
    await browser.until(() => document.querySelector('#table-problem').textContent !== '')
  })
}
