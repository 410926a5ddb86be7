// Tests the pages of a running server in one engine:
//
//	node --test-reporter=spec main.mjs ENGINE SERVER IMAGES
//
// ENGINE is chromium or firefox, SERVER the address of a server, and
// IMAGES a JSON file with codes drawn by the Go library.
import { after } from 'node:test'
import { desktop, narrow, testAccess, testReferenceAccess, zoomed } from './access.mjs'
import { testFirstCode, testLateFile, testOffline, testWithoutModule, testWithoutWebAssembly } from './away.mjs'
import { testLibrary } from './library.mjs'
import { testMany } from './many.mjs'
import { testOne } from './one.mjs'
import { testReference } from './reference.mjs'
import { Session } from './session.mjs'

const [engine, server, pictures] = process.argv.slice(2)
process.once('SIGTERM', () => process.exit(1))

// The second browser prefers dark colors and has no WebAssembly.
const [session, plain] = await Promise.all([Session.start(server, engine), Session.start(server, engine, { dark: true, wasm: false })])
after(() => Promise.all([session.close(), plain.close()]))

testWithoutModule(session)
testLateFile(session, server)
testOffline(server, engine)
testOne(session)
testMany(session)
if (engine === 'chromium') testFirstCode(session)
testLibrary(session, pictures)
testReference(session)
testAccess(session)
testReferenceAccess(session, { 'in light colors': desktop, 'at 320 pixels': narrow, 'at 400 % zoom': zoomed })
testWithoutWebAssembly(plain)
testReferenceAccess(plain, { 'in dark colors': desktop })
