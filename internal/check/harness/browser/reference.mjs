// The uses of the reference at /docs.
import assert from 'node:assert/strict'
import test from 'node:test'

export function testReference(session) {
  test('a form of the reference sends a request and shows the response', async () => {
    const { browser, site } = session
    await session.open('/docs')
    assert.deepEqual(site.requests.filter(({ path }) => path.startsWith('/api')), [])
    for (const method of ['get', 'post']) {
      await browser.evaluate((method) => {
        const form = [...document.forms].find((form) => form.method === method)
        for (let details = form.closest('details'); details; details = details.parentElement.closest('details')) details.open = true
        form.id = `form-${method}`
        form.querySelector('button').id = `send-${method}`
      }, method)
      await browser.click(`#send-${method}`)
      await browser.until((id) => document.getElementById(id).parentNode.querySelector('.status').textContent.startsWith('Status 200'), `form-${method}`)
      assert.ok(await browser.evaluate((id) => document.getElementById(id).parentNode.querySelector('.result').childElementCount > 0, `form-${method}`))
    }
    assert.deepEqual(site.requests.filter(({ path }) => path.startsWith('/api')).map(({ method }) => method).sort(), ['GET', 'POST'])
    await session.assertSilent()
  })

  test('the reference keeps the chosen language, and shows curl where there is no example in it', async () => {
    const { browser } = session
    const opened = () => [...document.querySelectorAll('.examples')].map(({ children }) => [...children].filter(({ open }) => open).map(({ firstChild }) => firstChild.textContent).join())
    await session.open('/docs')
    await browser.evaluate(() => {
      const language = document.getElementById('language')
      language.value = 'Go, with the library'
      language.dispatchEvent(new Event('change'))
    })
    const chosen = await browser.evaluate(opened)
    assert.deepEqual([...new Set(chosen)].sort(), ['Go, with the library', 'curl'])
    await session.open('/docs')
    assert.deepEqual(await browser.evaluate(opened), chosen)
    assert.equal(await browser.evaluate(() => document.getElementById('language').value), 'Go, with the library')
    await session.assertSilent()
  })
}
