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

export async function checkWebhook(browser) {
  await browser.click('#tab-check')
  await browser.evaluate((text) => {
    document.querySelector('#input').value = text
    document.querySelector('#input').dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }))
  }, JSON.stringify(payload, null, 2))
  await browser.see('#webhook-result')
  const rows = (id) => browser.evaluate((id) => [...document.querySelectorAll(`#${id} tbody tr`)].map((row) => row.textContent), id)
  const [events, persons] = [await rows('events'), await rows('persons')]
  assert.equal(events.length, 2)
  assert.equal(persons.length, 2)
  for (const text of ['Jane Doe', '@jane.doe', 'US.13491208655302741918', 'recipient: ']) assert.ok(persons[0].includes(text), `${text} is not in ${persons[0]}`)
  for (const text of ['Bob', 'US.22222222222222222222', 'to: 16505551234']) assert.ok(persons[1].includes(text), `${text} is not in ${persons[1]}`)
  return browser.evaluate(() => [...document.querySelectorAll('#persons [data-gap]')].map((gap) => gap.dataset.gap))
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

  session.use('a pasted webhook becomes tables of events, persons and gaps', async (browser) => {
    const gaps = await checkWebhook(browser)
    assert.notEqual(gaps.length, 0, 'Jane has no phone number')
  })

  session.use('a webhook in a file becomes tables', async (browser) => {
    await browser.click('#tab-check')
    await browser.upload('#input-file', 'webhook.json', JSON.stringify(payload))
    await browser.see('#webhook-result')
  })

  session.use('a broken webhook is a problem', async (browser) => {
    await browser.click('#tab-check')
    await browser.fill('#input', '{"object":')
    await browser.until(() => document.querySelector('#input-problem [data-code]') !== null)
  })
}
