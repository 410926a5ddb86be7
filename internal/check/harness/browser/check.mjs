// The uses of the tab Check.
import assert from 'node:assert/strict'

const payload = {
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '1',
      changes: [
        {
          field: 'messages',
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '15550001111', phone_number_id: '42' },
            contacts: [
              { profile: { name: 'Jane Doe', username: 'jane.doe' }, user_id: 'US.13491208655302741918' },
              { profile: { name: 'Bob' }, wa_id: '16505551234', user_id: 'US.22222222222222222222' },
            ],
            messages: [
              { from_user_id: 'US.13491208655302741918', id: 'wamid.A', timestamp: '1795244400', type: 'text', text: { body: 'Hello' } },
              { from: '16505551234', from_user_id: 'US.22222222222222222222', id: 'wamid.B', timestamp: '1795244401', type: 'text', text: { body: 'Hi' } },
            ],
          },
        },
      ],
    },
  ],
}

async function paste(browser, text) {
  await browser.evaluate((text) => {
    document.querySelector('#input').value = text
    document.querySelector('#input').dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }))
  }, text)
  await browser.see('#webhook-result')
}

const rows = (browser, id) => browser.evaluate((id) => [...document.querySelectorAll(`#${id} tbody tr`)].map((row) => row.textContent), id)
const cells = (browser, id) => browser.evaluate((id) => [...document.querySelectorAll(`#${id} tbody td`)].map((cell) => cell.textContent), id)

export async function checkWebhook(browser) {
  await browser.click('#tab-check')
  await paste(browser, JSON.stringify(payload, null, 2))
  const [events, people] = [await rows(browser, 'events'), await rows(browser, 'people')]
  assert.equal(events.length, 2)
  assert.equal(people.length, 2)
  for (const text of ['Jane Doe', '@jane.doe', 'US.13491208655302741918', 'recipient: ']) assert.ok(people[0].includes(text), `${text} is not in ${people[0]}`)
  for (const text of ['Bob', 'US.22222222222222222222', 'to: 16505551234']) assert.ok(people[1].includes(text), `${text} is not in ${people[1]}`)
  return browser.evaluate(() => [...document.querySelectorAll('#people [data-gap]')].map((gap) => gap.dataset.gap))
}

const values = [
  ['jane.doe', 'username'],
  ['@jane.doe', 'username'],
  ['+1 650 555 1234', 'phone'],
  ['US.13491208655302741918', 'bsuid'],
  ['https://wa.me/jane.doe?text=Hi', 'link'],
  ['1234', 'key'],
]

export function testCheck(session) {
  session.use('a value is named', async (browser) => {
    await browser.click('#tab-check')
    for (const [value, kind] of values) {
      await browser.fill('#input', value)
      await browser.until((kind) => document.querySelector(`#check-result [data-kind=${kind}][data-valid=true]`) !== null, kind)
    }
    await browser.fill('#input', 'Jane.Doe!')
    await browser.until(() => document.querySelector('#check-result [data-kind=username][data-valid=false] [data-code=username_invalid_chars]') !== null)
  })

  session.use('a pasted webhook becomes tables of events, people and gaps', async (browser) => {
    const gaps = await checkWebhook(browser)
    assert.notEqual(gaps.length, 0, 'Jane has no phone number')
  })

  session.use('a file above the limit is a problem, whatever its letters', async (browser) => {
    await browser.click('#tab-check')
    await browser.upload('#input-file', 'large.json', `{"entry":[], "x": "${'\u00e9'.repeat(3 << 20)}"}`)
    await browser.until(() => document.querySelector('#input-problem [data-code=body_too_large]') !== null)
    assert.ok(await browser.evaluate(() => document.querySelector('#webhook-result').hidden))
  })

  session.use('a webhook in a file becomes tables', async (browser) => {
    await browser.click('#tab-check')
    await browser.upload('#input-file', 'webhook.json', JSON.stringify(payload))
    await browser.see('#webhook-result')
  })

  session.use('a change of ids is applied, and shown before and after', async (browser) => {
    await browser.click('#tab-check')
    const update = { wa_id: '16505551234', user_id: { previous: 'US.10101010101010101010', current: 'US.13491208655302741918' }, timestamp: '1749416383' }
    await paste(browser, JSON.stringify({ entry: [{ changes: [{ value: { metadata: { phone_number_id: '106' }, user_id_update: [update] } }] }] }))
    const [person] = await rows(browser, 'people')
    assert.ok(person.includes('recipient: US.13491208655302741918') && !person.includes('US.1010'), person)
    assert.deepEqual(await cells(browser, 'changes'), ['US.10101010101010101010', 'US.13491208655302741918', '16505551234', '2025-06-08 20:59:43 UTC'])
  })

  session.use('a number belongs to whoever used it last', async (browser) => {
    await browser.click('#tab-check')
    const from = '16505551234'
    const messages = ['US.1', 'US.2', undefined].map((from_user_id, i) => ({ from, from_user_id, id: `wamid.${i}`, timestamp: `179524440${i}`, type: 'text', text: { body: 'Hi' } }))
    await paste(browser, JSON.stringify({ entry: [{ changes: [{ value: { messages } }] }] }))
    const people = await rows(browser, 'people')
    assert.equal(people.length, 2)
    assert.ok(people[0].includes('recipient: US.1'), people[0])
    assert.ok(people[1].includes(`to: ${from}`) && people[1].includes('US.2'), people[1])
  })

  session.use('the error of a failed status is shown with its meaning', async (browser) => {
    await browser.click('#tab-check')
    const errors = [{ code: 131026, title: 'Message undeliverable', error_data: { details: 'Some details.' } }]
    await paste(browser, JSON.stringify({ entry: [{ changes: [{ value: { statuses: [{ id: 'wamid.A', status: 'failed', recipient_id: '16505551234', errors }] } }] }] }))
    const [event] = await rows(browser, 'events')
    for (const text of ['failed', '131026: Message undeliverable', 'Some details.', 'WhatsApp']) assert.ok(event.includes(text), `${text} is not in ${event}`)
  })

  session.use('a conversation of another application gets no reply', async (browser) => {
    await browser.click('#tab-check')
    const value = { standby: { messages: [{ from: '16505551234', id: 'wamid.A', timestamp: '1795244400', type: 'text', text: { body: 'Hi' } }] } }
    await paste(browser, JSON.stringify({ entry: [{ changes: [{ field: 'standby', value }] }] }))
    await browser.see('#people [data-standby]')
    assert.ok(!(await rows(browser, 'people'))[0].includes('to: '))
  })

  session.use('a large webhook is shown while one looks', async (browser) => {
    await browser.click('#tab-check')
    const messages = Array.from({ length: 4000 }, (_, i) => ({ from_user_id: `US.${10 ** 15 + i}`, id: `wamid.${i}`, timestamp: '1795244400', type: 'text', text: { body: 'x'.repeat(880) } }))
    const text = JSON.stringify({ entry: [{ changes: [{ value: { messages } }] }] })
    assert.ok(text.length > 3.8e6 && text.length < 4 << 20)
    await browser.upload('#input-file', 'large.json', text)
    await browser.see('#webhook-result')
    assert.equal((await rows(browser, 'events')).length, 200)
    await browser.click('#input-file-remove')
    const took = await browser.evaluate((text) => {
      const start = performance.now()
      // Firefox has no constructor for an event with a clipboard.
      const event = Object.assign(new Event('paste', { bubbles: true, cancelable: true }), { clipboardData: { getData: () => text } })
      document.querySelector('#input').dispatchEvent(event)
      return new Promise((resolve) => new MutationObserver(() => resolve(performance.now() - start)).observe(document.querySelector('#webhook-result'), { childList: true }))
    }, text)
    console.log(`ℹ ${text.length} bytes of webhook in ${Math.round(took)} ms`)
    await browser.see('#webhook-result')
  })

  session.use('text around a webhook and the ID of a message are explained', async (browser) => {
    await browser.click('#tab-check')
    for (const [text, code] of [['INFO body={"object":1}', 'json_surrounded'], ['"{}"', 'json_surrounded'], ['wamid.HBgL', 'message_id']]) {
      await browser.fill('#input', text)
      await browser.until((code) => document.querySelector(`#input-problem [data-code=${code}]`) !== null, code)
    }
  })

  session.use('a broken webhook is a problem', async (browser) => {
    await browser.click('#tab-check')
    await browser.fill('#input', '{"object":')
    await browser.until(() => document.querySelector('#input-problem [data-code]') !== null)
  })
}
