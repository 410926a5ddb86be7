// The uses of the tab One.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pageSize, readCodes, readPages } from './decode.mjs'

export const link = 'https://wa.me/jane.doe?text=Hi%20there%20%26%20welcome!'

export async function typeLink(browser) {
  await browser.fill('#who', 'jane.doe')
  await browser.fill('#message', 'Hi there & welcome!')
  await browser.until((link) => document.querySelector('#link').href === link && document.querySelector('#picture').alt.includes(link), link)
}

/** Opens the fields for the look of the code. */
export const openDesign = (browser) => browser.evaluate(() => (document.querySelector('#design').open = true))

/** Returns what the code on the page contains. */
export async function readPicture(browser) {
  const source = await browser.until(() => document.querySelector('#picture').getClientRects().length > 0 && document.querySelector('#picture').src)
  const bytes = await browser.evaluate(async () => {
    const response = document.querySelector('#picture').src
    return decodeURIComponent(response.slice(response.indexOf(',') + 1))
  })
  assert.match(source, /^data:image\/svg\+xml,/)
  const folder = await mkdtemp(join(tmpdir(), 'hailmark-picture-'))
  try {
    await writeFile(join(folder, 'picture.svg'), bytes)
    const [code] = await readCodes(join(folder, 'picture.svg'))
    return code
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Downloads a file by its button and returns what its code contains. */
export async function readDownload(browser, format) {
  const file = await browser.download(() => browser.click(`#download-${format}`))
  assert.equal(file.name, `jane.doe.${format}`)
  const codes = await readCodes(file.path)
  assert.equal(codes.length, 1)
  return codes[0]
}

/** Returns the codes of what is wrong with a field. */
export const codes = (browser, field) => browser.evaluate((field) => [...document.querySelectorAll(`#${field}-problem [data-code]`)].map((line) => line.dataset.code), field)

export const waitForCode = (browser, field, code) => browser.until((field, code) => document.querySelector(`#${field}-problem [data-code="${code}"]`) !== null, field, code)

/** Returns a PNG. */
export const logo = () => execFileSync('rsvg-convert', ['-w', '64'], { input: readFileSync(new URL('../../../../cmd/internal/page/assets/icon.svg', import.meta.url)) })

export function testOne(session) {
  session.use('a username and a message become a link and a code', async (browser) => {
    await typeLink(browser)
    assert.equal(await readPicture(browser), link)
  })

  session.use('a phone number becomes a link and a code', async (browser) => {
    await browser.fill('#who', '+1 (650) 555-1234')
    await browser.until(() => document.querySelector('#link').href === 'https://wa.me/16505551234')
    assert.equal(await readPicture(browser), 'https://wa.me/16505551234')
  })

  session.use('problems are shown at the field', async (browser) => {
    await browser.fill('#who', 'Jane.Doe!')
    await browser.until(() => document.querySelector('#who').getAttribute('aria-invalid') === 'true')
    assert.deepEqual(await codes(browser, 'who'), ['username_invalid_chars'])
    assert.ok(await browser.evaluate(() => document.querySelector('#download-png').disabled))
    const read = await browser.evaluate(() => document.querySelector('#who').getAttribute('aria-describedby').split(' ').map((id) => document.getElementById(id).textContent).join(' '))
    assert.match(read, /\S/)
    await browser.fill('#who', 'jane.doe')
    await browser.until(() => !document.querySelector('#who').hasAttribute('aria-invalid'))
    assert.deepEqual(await codes(browser, 'who'), [])
  })

  for (const format of ['png', 'svg', 'pdf']) {
    session.use(`the downloaded ${format.toUpperCase()} contains the link`, async (browser) => {
      await typeLink(browser)
      assert.equal(await readDownload(browser, format), link)
    })
  }

  session.use('a click right after a key press saves the new code', async (browser) => {
    await typeLink(browser)
    const file = await browser.download(() => browser.evaluate(() => {
      for (const name of ['bob.1', 'bob.2']) {
        document.querySelector('#who').value = name
        document.querySelector('#who').dispatchEvent(new InputEvent('input', { bubbles: true }))
      }
      document.querySelector('#download-png').click()
    }))
    assert.equal(file.name, 'bob.2.png')
    assert.deepEqual(await readCodes(file.path), [link.replace('jane.doe', 'bob.2')])
  })

  session.use('the link is copied', async (browser) => {
    await typeLink(browser)
    await browser.click('#copy')
    await browser.until(() => document.querySelector('#one-status').textContent === 'Copied')
    assert.equal(await browser.clipboard(), link)
  })

  session.use('colors with little contrast get a warning', async (browser) => {
    await typeLink(browser)
    await openDesign(browser)
    await browser.choose('#color', '#0b5a2b')
    assert.equal(await readDownload(browser, 'png'), link)
    assert.deepEqual(await codes(browser, 'color'), [])
    await browser.choose('#color', '#eeeeee')
    await waitForCode(browser, 'color', 'low_contrast')
    await browser.choose('#color', '#ffffff')
    await browser.choose('#background', '#000000')
    await waitForCode(browser, 'color', 'light_on_dark')
  })

  session.use('a size in millimeters is the size of the code on paper', async (browser) => {
    await typeLink(browser)
    await openDesign(browser)
    await browser.choose('#unit', 'mm')
    await browser.fill('#size', '40')
    await browser.until(() => document.querySelector('#picture-size').textContent.includes('mm'))
    const file = await browser.download(() => browser.click('#download-pdf'))
    assert.deepEqual(await readCodes(file.path), [link])
    // The symbol is of version 3, 4 or 5. The quiet zone has 4 modules on each side.
    const sides = [29, 33, 37].map((modules) => (40 * (modules + 8)) / modules)
    for (const size of await pageSize(file.path)) assert.ok(sides.some((side) => Math.abs(size - side) < 0.2), `the page is ${size} mm wide, not one of ${sides}`)
  })

  session.use('a caption, a frame and a logo are drawn', async (browser) => {
    await typeLink(browser)
    await openDesign(browser)
    const before = await browser.evaluate(() => document.querySelector('#picture').naturalHeight)
    await browser.fill('#caption', 'Chat with Jane')
    await browser.fill('#frame', 'Scan me')
    await browser.until((before) => document.querySelector('#picture').naturalHeight > before, before)
    await browser.fill('#size', '127')
    await waitForCode(browser, 'size', 'invalid_size')
    await browser.fill('#size', '512')
    const bare = await browser.evaluate(() => document.querySelector('#picture').src)
    await browser.upload('#logo', 'logo.png', logo())
    await browser.until((bare) => document.querySelector('#picture').src !== bare, bare)
    for (const field of ['caption', 'frame', 'logo']) assert.deepEqual(await codes(browser, field), [])
    for (const format of ['png', 'svg', 'pdf']) assert.equal(await readDownload(browser, format), link)
    for (const content of ['not an image', '']) {
      await browser.click('#logo-remove')
      await browser.until(() => document.querySelector('#logo-problem').textContent === '')
      await browser.upload('#logo', 'text.png', content)
      await waitForCode(browser, 'logo', 'print_invalid_logo')
    }
  })

  session.use('the button print prints the code alone, in its size', async (browser) => {
    await typeLink(browser)
    await openDesign(browser)
    await browser.choose('#unit', 'mm')
    await browser.fill('#size', '40')
    await browser.fill('#dpi', '2400') // whole dots change the size by less than 0.4 mm
    await browser.evaluate(() => {
      globalThis.prints = 0
      globalThis.print = () => prints++
    })
    await browser.click('#print')
    assert.equal(await browser.evaluate(() => prints), 1)
    const [{ codes, left, top, right, bottom }, ...others] = await readPages(await browser.print())
    assert.deepEqual(codes, [link])
    for (const size of [right - left, bottom - top]) assert.ok(Math.abs(size - 40) < 1, `the print is ${size} mm wide or high`)
    assert.deepEqual(others, [])
  })

  session.use('a code that is larger than the paper is printed whole', async (browser) => {
    await typeLink(browser)
    await openDesign(browser)
    await browser.choose('#unit', 'mm')
    await browser.fill('#size', '400')
    await browser.until(() => document.querySelector('#picture-size').textContent.includes('mm'))
    const pages = await readPages(await browser.print())
    assert.deepEqual(pages.map(({ codes }) => codes), [[link]])
  })

  session.use('the keyboard alone makes and downloads a code', async (browser) => {
    const focused = () => browser.evaluate(() => document.activeElement?.id ?? '')
    const tabTo = async (id) => {
      for (let i = 0; i < 60; i++) {
        if ((await focused()) === id) return
        await browser.press('Tab')
      }
      assert.fail(`Tab does not reach #${id}`)
    }
    await tabTo('tab-one')
    await browser.press('ArrowRight')
    assert.equal(await focused(), 'tab-many')
    await browser.press('Home')
    assert.equal(await focused(), 'tab-one')
    await tabTo('who')
    await browser.type('jane.doe')
    await tabTo('message')
    await browser.type('Hi there & welcome!')
    await browser.until((link) => document.querySelector('#link').href === link, link)
    await tabTo('download-png')
    // The window of a headless Firefox has no focus: no element looks focused, and keys do not press buttons.
    const focus = browser.engine !== 'firefox'
    if (focus) await browser.until(() => getComputedStyle(document.activeElement).outlineStyle === 'solid')
    const file = await browser.download(() => (focus ? browser.press('Enter') : browser.evaluate(() => document.activeElement.click())))
    assert.deepEqual(await readCodes(file.path), [link])
  })

  session.use('what a number belongs to stands next to the link', async (browser) => {
    await browser.fill('#who', '98765 43210')
    await browser.see('#home')
    await browser.choose('#home', '')
    await browser.until(() => document.querySelector('#country').textContent === 'Iran, +98')
    assert.deepEqual(await codes(browser, 'who'), ['phone_missing_plus', 'phone_impossible_length'])
    await browser.fill('#who', '+999 12345678')
    await waitForCode(browser, 'who', 'phone_unassigned_country_code')
    assert.equal(await browser.evaluate(() => document.querySelector('#country').textContent), '')
    for (const number of ['tel:+491711234567', 'WhatsApp: +49 171/1234567']) {
      await browser.fill('#who', number)
      await browser.until(() => document.querySelector('#link').href === 'https://wa.me/491711234567')
    }
  })

  session.use('a number without a country code is one of the chosen country', async (browser) => {
    assert.ok(await browser.evaluate(() => document.querySelector('#home-field').hidden))
    await browser.fill('#who', '(650) 555-1234')
    await browser.see('#home')
    assert.equal(await browser.evaluate(() => document.querySelector('#home').value), 'US') // the browser's
    await browser.until(() => document.querySelector('#link').href === 'https://wa.me/16505551234')
    await browser.fill('#who', '0171 1234567')
    await waitForCode(browser, 'who', 'phone_invalid_format')
    await browser.until(() => document.querySelector('#home').options.length > 200)
    await browser.choose('#home', 'DE')
    await browser.until(() => document.querySelector('#link').href === 'https://wa.me/491711234567')
    assert.equal(await browser.evaluate(() => document.querySelector('#country').textContent), 'Germany, +49')
    await browser.fill('#who', '+1 650 555 1234')
    await browser.until(() => document.querySelector('#link').href === 'https://wa.me/16505551234' && document.querySelector('#home-field').hidden)
  })

  for (const product of ['poster', 'tent']) {
    session.use(`a ${product} is drawn and saved`, async (browser) => {
      await typeLink(browser)
      await openDesign(browser)
      await browser.choose('#product', product)
      await browser.see('#heading')
      await browser.fill('#heading', 'Questions?')
      await browser.fill('#footer', '\u2603')
      await waitForCode(browser, 'footer', 'print_unsupported_character')
      await browser.fill('#footer', 'We answer soon.')
      await browser.until(() => document.querySelector('#picture-size').textContent === '210 \u00d7 297 millimeters')
      const file = await browser.download(() => browser.click('#download-pdf'))
      assert.deepEqual((await pageSize(file.path)).map(Math.round), [210, 297])
      assert.deepEqual(new Set(await readCodes(file.path)), new Set([link]))
      await browser.click('#preset-plain')
      await browser.until(() => document.querySelector('#heading').getClientRects().length === 0 && document.querySelector('#picture-size').textContent.includes('512'))
    })
  }

  session.use('links of all kinds are drawn as they are', async (browser) => {
    for (const other of ['https://wa.me/message/ABCDEFGHIJKLM1', 'https://wa.me/qr/ABCDEFGHIJKLM1', 'https://chat.whatsapp.com/ABCDEFGHIJKLMNOPQRSTUV', 'https://whatsapp.com/channel/0029VaABCDEFGHIJKLMNOP1a']) {
      await browser.fill('#who', other)
      await browser.until((link) => document.querySelector('#link').href === link, other)
      assert.equal(await readPicture(browser), other)
    }
    await browser.fill('#message', 'Hi')
    await waitForCode(browser, 'message', 'message_ignored')
  })

  session.use('the text of a pasted link becomes the message', async (browser) => {
    const message = () => browser.evaluate(() => document.querySelector('#message').value)
    await browser.fill('#who', 'https://wa.me/491711234567?text=Hallo%20Jane')
    assert.equal(await message(), 'Hallo Jane')
    assert.equal(await readPicture(browser), 'https://wa.me/491711234567?text=Hallo%20Jane')
    await browser.fill('#message', '')
    await browser.until(() => document.querySelector('#link').href === 'https://wa.me/491711234567')
    await browser.fill('#message', 'Mine')
    await browser.fill('#who', 'https://wa.me/jane.doe?text=Other')
    await browser.until(() => document.querySelector('#link').href === 'https://wa.me/jane.doe?text=Mine')
    assert.match(await browser.evaluate(() => document.querySelector('#short').href), /\/@jane\.doe\?text=Mine$/)
  })

  const long = 'x'.repeat(3600)
  const mistakes = {
    'an Arabic caption': { field: 'caption', code: 'print_unsupported_character', values: { '#caption': '\u0645\u0631\u062d\u0628\u0627 \u0628\u0643\u0645' } },
    'an emoji in the caption': { field: 'caption', code: 'print_unsupported_character', values: { '#caption': 'Hi \u{1f600}' } },
    'a Hebrew frame': { field: 'frame', code: 'print_unsupported_character', values: { '#frame': '\u05e9\u05dc\u05d5\u05dd' } },
    'yellow on white': { field: 'color', code: 'low_contrast', values: { '#color': '#ffff00' } },
    'a width of 20 pixels': { field: 'size', code: 'invalid_size', values: { '#size': '20' } },
    'a width of 5000 mm': { field: 'size', code: 'print_invalid_length', values: { '#unit': 'mm', '#size': '5000' } },
    'a logo that is no image': { field: 'logo', code: 'print_invalid_logo', logo: 'not an image' },
    'a message that does not fit': { field: 'message', code: 'text_too_long', values: { '#message': long } },
  }
  for (const [name, { field, code, values = {}, logo: content }] of Object.entries(mistakes)) {
    for (const format of ['png', 'pdf']) {
      session.use(`with ${name}, no ${format.toUpperCase()} is saved without it`, async (browser) => {
        await typeLink(browser)
        await openDesign(browser)
        // The page has the large module, so that the buttons stay enabled until the entry is wrong.
        await browser.choose('#unit', 'mm')
        await browser.until(() => !document.querySelector('#download-pdf').disabled)
        await browser.choose('#unit', 'px')
        await browser.until(() => !document.querySelector('#download-pdf').disabled)
        const entries = Object.entries(values)
        const before = await browser.evaluate((entries) => entries.map(([selector]) => [selector, document.querySelector(selector).value]), entries)
        // The click follows the key press at once, before the page knows that something is wrong.
        await browser.evaluate((entries, format, content) => {
          for (const [selector, value] of entries) {
            document.querySelector(selector).value = value
            document.querySelector(selector).dispatchEvent(new InputEvent('input', { bubbles: true }))
          }
          if (content) {
            const files = new DataTransfer()
            files.items.add(new File([content], 'logo.png'))
            document.querySelector('#logo').files = files.files
            document.querySelector('#logo').dispatchEvent(new Event('change', { bubbles: true }))
          }
          const button = document.querySelector(`#download-${format}`)
          if (button.disabled) throw new Error('the button is already disabled')
          button.click()
        }, entries, format, content)
        await waitForCode(browser, field, code)
        for (const id of ['download-png', 'download-svg', 'download-pdf', 'print']) assert.ok(await browser.evaluate((id) => document.getElementById(id).disabled, id), `#${id} is enabled`)
        assert.equal(await browser.evaluate(() => document.querySelectorAll('#one-blocked button').length), 1)
        await browser.see('#one-blocked')
        // Another field changes, and the message stays.
        await browser.fill('#who', 'jane.doe1')
        await browser.fill('#who', 'jane.doe')
        assert.deepEqual(await codes(browser, field), [code])
        // Once it's right, the file has everything, and it is the only one.
        if (content !== undefined) await browser.click('#logo-remove')
        for (const [selector, value] of before) await browser.choose(selector, value)
        assert.equal(await readDownload(browser, format), link)
        assert.deepEqual(await codes(browser, field), [])
      })
    }
  }

  session.use('the reason why nothing can be saved leads to its field', async (browser) => {
    await typeLink(browser)
    await openDesign(browser)
    await browser.fill('#caption', '\u2603')
    await waitForCode(browser, 'caption', 'print_unsupported_character')
    // The button stays while another field changes, so that a click on it isn't lost.
    await browser.evaluate(() => (document.querySelector('#one-blocked button').dataset.first = ''))
    await browser.fill('#frame', 'Scan me')
    assert.ok(await browser.evaluate(() => 'first' in document.querySelector('#one-blocked button').dataset))
    await browser.evaluate(() => (document.querySelector('#design').open = false))
    await browser.click('#one-blocked button')
    assert.equal(await browser.evaluate(() => document.activeElement.id), 'caption')
    assert.ok(await browser.evaluate(() => document.querySelector('#caption').getClientRects().length > 0))
    // Without a name, the design is shown with the sample, and its problem stays.
    await browser.fill('#who', '')
    assert.deepEqual(await codes(browser, 'caption'), ['print_unsupported_character'])
  })

  session.use('the problems of all fields are shown, and the link can be copied', async (browser) => {
    await typeLink(browser)
    await openDesign(browser)
    await browser.fill('#caption', '\u2603')
    await browser.fill('#frame', '\u2603')
    await browser.fill('#size', '5')
    await browser.choose('#color', '#ffff00')
    await browser.upload('#logo', 'logo.png', 'not an image')
    for (const [field, code] of [['caption', 'print_unsupported_character'], ['frame', 'print_unsupported_character'], ['size', 'invalid_size'], ['color', 'low_contrast'], ['logo', 'print_invalid_logo']]) await waitForCode(browser, field, code)
    await browser.click('#copy')
    assert.equal(await browser.clipboard(), link)
    await browser.fill('#size', '')
    await waitForCode(browser, 'size', 'invalid_number')
  })

  session.use('a photo becomes the logo', async (browser) => {
    await typeLink(browser)
    await openDesign(browser)
    const photo = await browser.evaluate(() => {
      const canvas = document.createElement('canvas')
      canvas.width = canvas.height = 2400
      const context = canvas.getContext('2d')
      context.fillStyle = '#b01030'
      context.fillRect(0, 0, 2400, 2400)
      return canvas.toDataURL('image/jpeg')
    })
    const bare = await browser.evaluate(() => document.querySelector('#picture').src)
    await browser.upload('#logo', 'photo.jpg', Buffer.from(photo.slice(photo.indexOf(',') + 1), 'base64'))
    await browser.until((bare) => document.querySelector('#picture').src !== bare, bare)
    assert.deepEqual(await codes(browser, 'logo'), [])
    for (const format of ['png', 'pdf']) assert.equal(await readDownload(browser, format), link)
  })

  session.use('drawings become the logo', async (browser) => {
    await typeLink(browser)
    await openDesign(browser)
    const shapes = '<style>circle { fill: #b01030 }</style><circle cx="12" cy="12" r="11"/><text x="6" y="16">Hi</text>'
    const sizes = { 'a viewBox': 'viewBox="0 0 24 24"', 'a width and a height': 'width="24" height="24"', percent: 'width="100%" height="100%" viewBox="0 0 24 24"' }
    for (const [name, size] of Object.entries(sizes)) {
      const before = await browser.evaluate(() => document.querySelector('#picture').src)
      await browser.upload('#logo', `${name}.svg`, `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${shapes}</svg>`)
      await browser.until((before) => document.querySelector('#picture').src !== before, before)
      assert.deepEqual(await codes(browser, 'logo'), [], name)
      assert.equal(await readDownload(browser, 'png'), link, name)
      await browser.click('#logo-remove')
    }
  })

  session.use('a code that is too dense for its pixels gets a warning', async (browser) => {
    await browser.fill('#who', 'jane.doe')
    await browser.fill('#message', '\u0928\u092e\u0938\u094d\u0924\u0947 '.repeat(30))
    await openDesign(browser)
    await waitForCode(browser, 'size', 'small_module')
    await browser.fill('#size', '2000')
    await browser.until(() => document.querySelector('#size-problem').textContent === '')
  })

  session.use('a suggestion is one tap away, and a BSUID gets none', async (browser) => {
    for (const [name, link] of [['Jane.Doe', 'https://wa.me/jane.doe'], ['Jane Doe', 'https://wa.me/janedoe'], ['Max <+49 171 1234567>', 'https://wa.me/491711234567'], ['+49 (0)171 1234567', 'https://wa.me/491711234567']]) {
      await browser.fill('#who', name)
      await browser.click('#who-suggestions button')
      await browser.until((link) => document.querySelector('#link').href === link, link)
    }
    await browser.fill('#who', 'US.13491208655302741918')
    await waitForCode(browser, 'who', 'target_is_bsuid')
    assert.ok(await browser.evaluate(() => document.querySelector('#who-suggestions').hidden && document.querySelector('#download-png').disabled))
  })

  session.use('while somebody types, nothing is red', async (browser) => {
    await browser.evaluate(() => document.querySelector('#who').focus())
    await browser.type('ja')
    await browser.until(() => !document.querySelector('#one-typing').hidden && document.querySelector('#one-blocked').hidden)
    await browser.until(() => document.querySelector('#one-typing').hidden && document.querySelector('#one-blocked').textContent.includes('has 2 characters'))
  })

  session.use('the presets fill in the design', async (browser) => {
    await typeLink(browser)
    await openDesign(browser)
    await browser.click('#preset-frame')
    assert.equal(await browser.evaluate(() => document.querySelector('#frame').value), 'Scan me')
    assert.equal(await readDownload(browser, 'png'), link)
    await browser.click('#preset-plain')
    assert.equal(await browser.evaluate(() => document.querySelector('#frame').value), '')
    assert.deepEqual(await browser.evaluate(() => [...document.querySelectorAll('.preset')].map((button) => button.getAttribute('aria-pressed'))), ['true', 'false', 'false'])
  })

  session.use('a name is no problem while it is typed', async (browser) => {
    await browser.click('#who')
    await browser.type('ja')
    assert.deepEqual(await codes(browser, 'who'), [])
    await browser.leave()
    await waitForCode(browser, 'who', 'username_length')
  })

  session.use('the field, the code and its buttons are on one screen of a phone', async (browser) => {
    const [width, height] = [360, 740]
    try {
      await browser.resize(width, height)
      await typeLink(browser)
      await browser.evaluate(() => scrollTo(0, 0))
      for (const id of ['who', 'message', 'picture', 'download-png', 'copy']) {
        const bottom = await browser.evaluate((id) => document.getElementById(id).getBoundingClientRect().bottom, id)
        assert.ok(bottom > 0 && bottom <= height, `#${id} ends at ${bottom}`)
      }
    } finally {
      await browser.resize(1280, 1024)
    }
  })
}
