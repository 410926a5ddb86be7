// Tests the pages of a running server in one engine:
//
//	node --test-reporter=spec main.mjs ENGINE SERVER PICTURES
//
// ENGINE is chromium, firefox or webkit, SERVER the address of a hailmark serve, and
// PICTURES a JSON file of codes that the Go library drew.
import { after } from 'node:test'
import { testCheck } from './check.mjs'
import { testMany } from './many.mjs'
import { testOne } from './one.mjs'
import { Session } from './session.mjs'

const [engine, server, pictures] = process.argv.slice(2)

const session = await Session.start(server, engine)
after(() => session.close())
testOne(session)
testMany(session)
testCheck(session)
