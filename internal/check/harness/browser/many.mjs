// The uses of the tab Many.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { eachFile, readCodes, readPages } from './decode.mjs'
import { codes, logo, waitForCode } from './one.mjs'

const table = 'username,phone,text\njane.doe,,Hello Jane\n,+1 650 555 1234,\nJane,,\nbob.2,,"a, b"\n'
const links = ['https://wa.me/16505551234', 'https://wa.me/bob.2?text=a%2C%20b', 'https://wa.me/jane.doe?text=Hello%20Jane']

export async function makeZip(browser) {
  await browser.click('#tab-many')
  await browser.until(() => !document.querySelector('#many-fields').disabled)
  await browser.upload('#table-file', 'people.csv', table)
  await browser.until(() => document.querySelector('#many-status').textContent.includes('people.csv'))
  await browser.click('#start-batch')
  await browser.see('#download-batch')
  const file = await browser.download(() => browser.click('#download-batch'))
  const found = []
  await eachFile(file.path, async (path) => {
    if (path.endsWith('.png')) found.push(...(await readCodes(path)))
  })
  assert.deepEqual(found.sort(), links)
}

async function pasteTable(browser, text) {
  await browser.click('#tab-many')
  await browser.until(() => !document.querySelector('#many-fields').disabled)
  await browser.evaluate((text) => {
    document.querySelector('#table').value = text
    document.querySelector('#table').dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }))
  }, text)
}

/** Draws the table and returns the file. */
async function draw(browser) {
  await browser.click('#start-batch')
  await browser.see('#download-batch')
  return browser.download(() => browser.click('#download-batch'))
}

/** Downloads the report and returns its rows as objects. */
async function readReport(browser) {
  const { path } = await browser.download(() => browser.click('#download-report-csv'))
  const script = 'import csv, json, sys; print(json.dumps(list(csv.DictReader(open(sys.argv[1], encoding="utf-8-sig", newline="")))))'
  return JSON.parse(execFileSync('python3', ['-c', script, path], { encoding: 'utf8' }))
}

export function testMany(session) {
  session.use('a table becomes a ZIP of codes and a report', async (browser) => {
    await makeZip(browser)
    const failed = await browser.evaluate(() => [...document.querySelectorAll('#rows-table [data-status=failed]')].map((row) => [row.dataset.row, row.querySelector('.id').textContent, row.closest('tbody').dataset.code]))
    assert.deepEqual(failed, [['4', 'Jane', 'username_invalid_chars']])

    const csv = await browser.download(() => browser.click('#download-report-csv'))
    const text = csv.bytes.toString()
    assert.match(text, /username_invalid_chars/)
    assert.doesNotMatch(text, /(^|,)"?[=+\-@\t]/m, 'a cell is a formula to a spreadsheet')
    const rows = await readReport(browser)
    assert.deepEqual(rows.map((row) => row.status), ['ok', 'ok', 'failed', 'ok'])
  })

  session.use('another logo removes the result', async (browser) => {
    await pasteTable(browser, table)
    await browser.choose('#many-unit', 'mm')
    await browser.click('#start-batch')
    await browser.see('#download-batch')
    await browser.upload('#many-logo', 'logo.png', logo())
    await browser.until(() => document.querySelector('#many-result').hidden)
  })

  session.use('a pasted table becomes label sheets', async (browser) => {
    await pasteTable(browser, table)
    await browser.choose('#output', 'labels')
    await browser.see('#labels')
    const file = await draw(browser)
    assert.match(file.name, /\.pdf$/)
    assert.deepEqual((await readCodes(file.path)).sort(), links)
  })

  session.use('label sheets start at the first unused label', async (browser) => {
    await pasteTable(browser, table)
    await browser.choose('#output', 'labels')
    await browser.choose('#labels', 'avery-l7160') // 3 x 7 labels
    await browser.fill('#start', '20')
    const file = await draw(browser)
    const [first, second, ...others] = await readPages(file.path)
    assert.deepEqual([first, second].map(({ codes }) => codes.length), [2, 1])
    assert.deepEqual(others, [])
    assert.ok(first.top > 243 && first.left > 70, `the codes on the first page are at ${first.left}, ${first.top} mm, not in the last row from its second label on`)
    assert.ok(second.bottom < 54 && second.right < 71, 'the second page does not start at its first label')
    const rows = await readReport(browser)
    assert.deepEqual(rows.map(({ page, label }) => [page, label]), [['1', '20'], ['1', '21'], ['', ''], ['2', '1']])

    await browser.fill('#start', '22')
    await browser.click('#start-batch')
    await waitForCode(browser, 'sheet', 'print_invalid_start')
    assert.equal(await browser.evaluate(() => document.activeElement.id), 'start')
  })

  session.use('the labels of a sheet can be moved and framed', async (browser) => {
    await pasteTable(browser, 'username\njane.doe\n')
    await browser.choose('#output', 'labels')
    await browser.choose('#labels', 'avery-l7160')
    const areas = []
    for (const offset of ['0', '3']) {
      await browser.fill('#offset-x', offset)
      await browser.fill('#offset-y', offset)
      areas.push(...(await readPages((await draw(browser)).path)))
    }
    for (const side of ['left', 'top', 'right', 'bottom']) {
      const moved = areas[1][side] - areas[0][side]
      assert.ok(Math.abs(moved - 3) < 0.5, `${side} moves by ${moved} mm`)
    }
    await browser.click('#border')
    const [framed] = await readPages((await draw(browser)).path)
    assert.ok(framed.right - framed.left > 180 && framed.bottom - framed.top > 260, 'the edges of the labels are not drawn')
    await browser.fill('#offset-x', '21')
    await browser.click('#start-batch')
    await waitForCode(browser, 'sheet', 'print_invalid_length')
  })

  session.use('the codes of a table have colors, captions, frames and a logo', async (browser) => {
    await pasteTable(browser, table)
    await browser.choose('#many-format', 'svg')
    await browser.choose('#many-color', '#0b5a2b')
    await browser.choose('#many-background', '#ffeedb')
    const read = async () => {
      const files = []
      await eachFile((await draw(browser)).path, async (path) => {
        if (path.endsWith('.svg')) files.push({ codes: await readCodes(path), svg: readFileSync(path, 'utf8') })
      })
      assert.deepEqual(files.flatMap(({ codes }) => codes).sort(), links)
      for (const { svg } of files) assert.ok(svg.includes('#0b5a2b') && svg.includes('#ffeedb'), svg)
      return files.map(({ svg }) => svg.match(/<svg [^>]*width="([\d.]+)(?:mm)?" height="([\d.]+)/).slice(1).map(Number))
    }
    for (const [width, height] of await read()) assert.deepEqual([width, height], [512, 512])
    assert.ok(await browser.evaluate(() => document.querySelector('#many-extras').getClientRects().length === 0))

    await browser.choose('#many-unit', 'mm')
    await browser.fill('#many-caption', '{name}')
    for (const [width, height] of await read()) assert.ok(height > width * 1.05, 'there is no caption')
    await browser.fill('#many-frame', 'Scan me')
    for (const [width, height] of await read()) assert.ok(height > width * 1.2, 'there is no frame')
    await browser.fill('#many-size', '40')
    const [bare] = await read()
    const preview = await browser.evaluate(() => document.querySelector('#many-picture').src)
    await browser.upload('#many-logo', 'logo.png', logo())
    await browser.until((preview) => document.querySelector('#many-picture').src !== preview, preview)
    const [decorated] = await read()
    assert.notDeepEqual(decorated, bare, 'there is no logo')
    assert.deepEqual(await browser.evaluate(() => [...document.querySelectorAll('#many-fieldsets .problem p:not(.warning)')].map((line) => line.dataset.code)), [])
  })

  session.use('problems with the look of many codes are shown at the field', async (browser) => {
    await pasteTable(browser, table)
    await browser.choose('#many-color', '#eeeeee')
    await waitForCode(browser, 'many-color', 'low_contrast')
    await browser.click('#start-batch')
    assert.equal(await browser.evaluate(() => document.activeElement.id), 'many-color')
    assert.ok(await browser.evaluate(() => document.querySelector('#many-result').hidden))
    await browser.choose('#many-color', '#000000')
    assert.deepEqual(await codes(browser, 'many-color'), [])
    await browser.fill('#many-size', '1.5')
    await waitForCode(browser, 'many-size', 'invalid_number')
    await browser.fill('#many-size', '20')
    await waitForCode(browser, 'many-size', 'invalid_size')
    await browser.choose('#many-format', 'eps')
    assert.equal(await browser.evaluate(() => document.querySelector('#many-unit').value), 'mm')
    assert.deepEqual(await codes(browser, 'many-size'), []) // a rounded width is less than 3 % off
    await browser.fill('#many-size', '9')
    await waitForCode(browser, 'many-size', 'small_module')
    await browser.fill('#many-size', '2')
    await waitForCode(browser, 'many-size', 'print_invalid_length')
    await browser.choose('#output', 'labels') // labels set the size
    assert.deepEqual(await codes(browser, 'many-size'), [])
    await browser.fill('#many-caption', '☃')
    await waitForCode(browser, 'many-caption', 'print_unsupported_character')
    await browser.upload('#many-logo', 'text.png', 'not an image')
    await waitForCode(browser, 'many-logo', 'print_invalid_logo')
  })

  session.use('a result ends when a setting changes', async (browser) => {
    await makeZip(browser)
    await browser.choose('#many-color', '#ff0000')
    assert.ok(await browser.evaluate(() => document.querySelector('#many-result').hidden))
  })

  session.use('a setting that changes right after Start stops it', async (browser) => {
    await pasteTable(browser, table)
    await browser.evaluate(() => {
      document.querySelector('#start-batch').click()
      document.querySelector('#many-color').value = '#ff0000'
      document.querySelector('#many-color').dispatchEvent(new InputEvent('input', { bubbles: true }))
    })
    await browser.until(() => !('busy' in document.documentElement.dataset))
    assert.deepEqual(await browser.evaluate(() => ['#many-progress', '#many-result'].map((id) => document.querySelector(id).hidden)), [true, true])
    assert.ok(await browser.evaluate(() => !document.querySelector('#start-batch').disabled))
  })

  session.use('a file does not replace what was typed, and neither does the example', async (browser) => {
    await pasteTable(browser, table)
    assert.ok(await browser.evaluate(() => document.querySelector('#example-table').hidden))
    await browser.upload('#table-file', 'people.csv', 'username\nx\n')
    await browser.click('#table-file-remove')
    assert.equal(await browser.evaluate(() => document.querySelector('#table').value), table)
  })

  session.use('captions of a table that are not drawn are reported', async (browser) => {
    await pasteTable(browser, 'username,caption\njane.doe,@jane\n')
    await browser.click('#start-batch')
    await browser.see('#rows')
    assert.equal(await browser.evaluate(() => document.querySelector('#rows-table tbody').dataset.code), 'caption_not_drawn')
  })

  session.use('a number without a plus is reported with its country', async (browser) => {
    await pasteTable(browser, 'phone\n98765 43210\n')
    await browser.choose('#many-home', '')
    await browser.click('#start-batch')
    await browser.see('#rows')
    const row = await browser.evaluate(() => document.querySelector('#rows-table [data-code=phone_missing_plus] [data-row]').textContent)
    for (const text of ['wa.me/9876543210', '+98 (Iran)']) assert.ok(row.includes(text), `${text} is not in ${row}`)
  })

  session.use('a long table stays cancellable', async (browser) => {
    await pasteTable(browser, `username\n${Array.from({ length: 20_000 }, (_, i) => `user.${i}`).join('\n')}\n`)
    await browser.click('#start-batch')
    await browser.click('#cancel-batch')
    await browser.until(() => document.querySelector('#start-batch').disabled === false)
    assert.ok(await browser.evaluate(() => document.querySelector('#many-result').hidden))
  })

  for (const [name, text, username, phone, noHeader, found] of [
    ['a list without names of columns', 'jane.doe\nmario\nbob.2\n', '1', '', true, ['https://wa.me/bob.2', 'https://wa.me/jane.doe', 'https://wa.me/mario']],
    ['one column with another name', 'Handle\njane.doe\nmario\n', '1', '', false, ['https://wa.me/jane.doe', 'https://wa.me/mario']],
    ['two columns with other names', 'WhatsApp name;Mobile number\njane.doe;\n;+1 650 555 1234\n', '1', '2', false, ['https://wa.me/16505551234', 'https://wa.me/jane.doe']],
    ['a column with numbers among others', 'Vorname\tTelefon\nJane\t+49 171 1234567\nMax\t+49 171 1234568\n', '', '2', false, ['https://wa.me/491711234567', 'https://wa.me/491711234568']],
  ]) {
    session.use(`${name} becomes codes`, async (browser) => {
      await pasteTable(browser, text)
      await browser.see('#columns')
      const chosen = await browser.evaluate(() => ['#column-username', '#column-phone'].map((id) => document.querySelector(id).value))
      assert.deepEqual([...chosen, await browser.evaluate(() => document.querySelector('#no-header').checked)], [username, phone, noHeader])
      const links = []
      await eachFile((await draw(browser)).path, async (path) => {
        if (path.endsWith('.png')) links.push(...(await readCodes(path)))
      })
      assert.deepEqual(links.sort(), found)
    })
  }

  // Twenty times ten people as they are in tables: six good ones, and four mistakes.
  const people = [
    ['jane.doe', ''], ['@mario', ''], ['https://wa.me/bob.2', ''], ['', '+49 171 1234567'], ['', '0171 1234568'], ['', '+1 (650) 555-1234'],
    ['Jane.Doe', ''], ['x', ''], ['', '12345'], ['', '4.91711E+11'],
  ]
  const two = (separator, header) => (header + Array.from({ length: 20 }, () => people.map((row) => row.join(separator)).join('\n')).join('\n'))
  const layouts = {
    'with commas': two(',', 'username,phone\n'),
    'with semicolons and other names': two(';', 'WhatsApp name;Mobile number\n'),
    'with tabs, names of other columns, and a third column': two('\t', 'Wer\tNummer\n').replace(/$/gm, '\tx'),
    'without names of columns': two(',', ''),
    'in UTF-16 with tabs': Buffer.from(`\uFEFF${two('\t', 'username\tphone\n')}`, 'utf16le'),
  }
  for (const [name, content] of Object.entries(layouts)) {
    session.use(`200 rows with mistakes ${name} give the same result, and the suggestions of all are one tap away`, async (browser) => {
      await browser.click('#tab-many')
      await browser.until(() => !document.querySelector('#many-fields').disabled)
      await browser.upload('#table-file', 'people.csv', content)
      await browser.until(() => document.querySelector('#many-status').textContent.includes('people.csv') && !('busy' in document.documentElement.dataset))
      await browser.choose('#many-home', 'DE')
      await browser.choose('#output', 'check')
      const counts = async () => {
        await browser.click('#start-batch')
        await browser.until(() => document.querySelector('#many-status').textContent.includes(' good'))
        return browser.evaluate(() => document.querySelector('#many-status').textContent)
      }
      assert.equal(await counts(), '120 good, 80 failed, 0 empty')
      const groups = await browser.evaluate(() => [...document.querySelectorAll('#rows-table tbody th[scope=rowgroup]')].map((title) => title.textContent))
      assert.ok(groups.length > 0 && groups.every((title) => /^\d+ \u00d7 +[a-z]+ [a-z]+/.test(title)), groups.join())
      assert.equal(await browser.evaluate(() => document.querySelector('#use-suggestions').textContent), 'Use all 20 suggestions')
      await browser.click('#use-suggestions')
      await browser.until(() => document.querySelector('#many-status').textContent === '140 good, 60 failed, 0 empty, 20 with suggestions')
    })
  }

  session.use('a table without names of columns is checked without drawing codes', async (browser) => {
    await browser.click('#tab-many')
    await browser.choose('#output', 'check')
    await pasteTable(browser, '0171 1234567\n0171 1234568\n12345\n')
    await browser.choose('#many-home', 'DE')
    await browser.see('#columns')
    await browser.click('#start-batch')
    await browser.until(() => document.querySelector('#many-status').textContent === '2 good, 1 failed, 0 empty')
  })

  session.use('the choice of columns is remembered for the same table', async (browser) => {
    const text = 'A,B\njane.doe,mario\n'
    await pasteTable(browser, text)
    await browser.see('#columns')
    await browser.choose('#column-username', '2')
    await pasteTable(browser, 'username\njane.doe\n')
    await browser.until(() => document.querySelector('#columns').hidden)
    await pasteTable(browser, text)
    await browser.see('#columns')
    assert.equal(await browser.evaluate(() => document.querySelector('#column-username').value), '2')
    const links = []
    await eachFile((await draw(browser)).path, async (path) => {
      if (path.endsWith('.png')) links.push(...(await readCodes(path)))
    })
    assert.deepEqual(links, ['https://wa.me/mario'])
  })

  session.use('the first label and its sheet are shown while one chooses', async (browser) => {
    await pasteTable(browser, 'username\njane.doe\n')
    await browser.choose('#output', 'labels')
    await browser.choose('#labels', 'avery-l7160')
    await browser.see('#sheet')
    assert.match(await browser.evaluate(() => document.querySelector('#sheet-measures').textContent), /3 × 7 .*63\.5 × 38\.1 mm on A4/)
    const before = await browser.evaluate(() => document.querySelector('#sheet-picture').src)
    await browser.fill('#start', '5')
    await browser.until((before) => document.querySelector('#sheet-picture').src !== before, before)
    await browser.fill('#start', '22')
    await waitForCode(browser, 'sheet', 'print_invalid_start')
    // Another field changes, and the message stays.
    await browser.choose('#many-color', '#0b5a2b')
    assert.deepEqual(await codes(browser, 'sheet'), ['print_invalid_start'])
  })

  session.use('a table that cannot be read is a problem of its field', async (browser) => {
    await pasteTable(browser, 'Vorname,Ort\nJane,1\n')
    await browser.click('#start-batch')
    await browser.until(() => document.querySelector('#columns-problem').textContent.includes('which column says'))
    await browser.upload('#table-file', 'people.xlsx', 'PK\x03\x04\x14\x00')
    await browser.until(() => document.querySelector('#many-status').textContent.includes('people.xlsx'))
    await browser.click('#start-batch')
    await browser.until(() => document.querySelector('#table-file-problem').textContent.includes('workbook'))
    assert.deepEqual(await browser.evaluate(() => [document.activeElement.id, document.querySelector('#table-problem').textContent]), ['table-file', ''])
  })

  session.use('an empty table is a problem', async (browser) => {
    await browser.click('#tab-many')
    await browser.click('#start-batch')
    await browser.until(() => document.querySelector('#table-problem').textContent !== '')
  })
}
