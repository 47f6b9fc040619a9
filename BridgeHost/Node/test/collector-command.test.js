import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, watch, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { COMMAND, runCommand, startCommand } from '../testsupport/commands.js'
import { afterwards, freshFolder } from '../testsupport/hosts.js'
import { send } from '../testsupport/http.js'
import { sample } from '../testsupport/samples.js'

suite('mobile-tracker', () => {
    test('--help names the commands', async (t) => {
        const { status, out } = await runCommand(t, '--help')
        assert.equal(status, 0)
        assert.match(out, /^ {2}collect /m)
    })

    test('collect --help names every option, path and fault', async (t) => {
        const { status, out } = await runCommand(t, 'collect', '--help')
        assert.equal(status, 0)
        for (const word of ['Examples:', '--port', '--host', '--basic-path', '--any-path', '--strict', '--faults', '--max-bytes', '/received', '/wait', '/clear', '/faults']) {
            assert.ok(out.includes(word), word)
        }
        for (const word of ['drop-before', 'half-body', 'retry-after', 'header']) assert.ok(out.includes(word), word)
        assert.ok(out.split('\n').every((line) => line.length <= 120))
    })

    const mistakes = [
        [[], 'mobile-tracker: There is no command. Try mobile-tracker --help.\n'],
        [['colect'], 'mobile-tracker: There is no command "colect"; did you mean collect? Try mobile-tracker --help.\n'],
        [['zzz'], 'mobile-tracker: There is no command "zzz". Try mobile-tracker --help.\n'],
        [['collect', '--prot', '1'], 'mobile-tracker: There is no option --prot; did you mean --port? Try mobile-tracker collect --help.\n'],
        [['collect', '--zzz'], 'mobile-tracker: There is no option --zzz. Try mobile-tracker collect --help.\n'],
        [['collect', 'extra'], /^mobile-tracker: "extra" does not belong here\./],
        [['collect', '--port'], /^mobile-tracker: --port needs a value: --port <n>\./],
        [['collect', '--json=yes'], /^mobile-tracker: --json takes no value\./],
        [['collect', '--basic-path', 'events'], /^mobile-tracker: --basic-path is "events"; it must begin with a slash\./],
        [['collect', '--port', '70000'], /^mobile-tracker: --port is "70000"; it must be a whole number from 0 to 65535\./],
        [['collect', '--api', 'segmnt'], /^mobile-tracker: There is no API "segmnt"; --api takes metaRouter, segment, postHog,/],
        [['collect', '--max-bytes', '1k'], /^mobile-tracker: --max-bytes is "1k"; it must be a whole number from 1 to/],
        [['collect', '--port', '0', '--faults', 'oops'], /^mobile-tracker: There is no fault "oops"/],
    ]
    for (const [words, message] of mistakes) {
        test(`${words.join(' ') || 'nothing'} is a mistake in use`, async (t) => {
            const { status, out, errors } = await runCommand(t, ...words)

            assert.equal(status, 64)
            assert.equal(out, '')
            if (message instanceof RegExp) assert.match(errors, message)
            else assert.equal(errors, message)
            assert.equal(errors.trimEnd().split('\n').length, 1)
        })
    }
})

suite('mobile-tracker collect', () => {
    test('--open shows the page in the browser, or says why it cannot', async (t) => {
        const folder = freshFolder(t)
        const opener = join(folder, 'opener')
        writeFileSync(opener, `#!/bin/sh\necho "$1" > ${folder}/shown.tmp && mv ${folder}/shown.tmp ${folder}/shown\n`, { mode: 0o755 })
        const before = process.env.BROWSER
        t.after(() => (before === undefined ? delete process.env.BROWSER : (process.env.BROWSER = before)))
        process.env.BROWSER = opener
        const watcher = watch(folder)
        t.after(() => watcher.close())
        const shown = new Promise((resolve) => watcher.on('change', (_, name) => name === 'shown' && resolve()))
        const { line } = startCommand(t, 'collect', '--port', '0', '--open', '--json')
        const { url } = JSON.parse(await line())
        await shown
        assert.equal(readFileSync(join(folder, 'shown'), 'utf8').trim(), url)

        process.env.BROWSER = join(folder, 'none')
        const other = startCommand(t, 'collect', '--port', '0', '--open', '--json')
        await other.line()
        await other.warned()
        assert.match(other.child.errors, /^mobile-tracker: No browser could be opened: there is no .*none here\. Open http:/)
    })

    test('--open says that the system\'s opener found no browser', async (t) => {
        const opener = join(freshFolder(t), 'opener')
        writeFileSync(opener, '#!/bin/sh\nexit 3\n', { mode: 0o755 })
        const before = process.env.BROWSER
        t.after(() => (before === undefined ? delete process.env.BROWSER : (process.env.BROWSER = before)))
        process.env.BROWSER = opener
        const { child, line, warned } = startCommand(t, 'collect', '--port', '0', '--open', '--json')
        const { url } = JSON.parse(await line())
        await warned()

        assert.equal(
            child.errors,
            `mobile-tracker: No browser could be opened: ${opener} ended with status 3. Open ${url} yourself.\n`,
        )
    })

    test('says where it listens, a line for each request, and a summary', async (t) => {
        const { child, line, ended } = startCommand(t, 'collect', '--port', '0')
        const [, url] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(await line())
        await send(url, sample('event'))
        const good = await line()
        await send(url, { ...sample('event'), body: { brand_id: 925, session_id: 's', event_name: 'A\u001b[31mB', data: { mail: 'ada\n@example.com' } } })
        const bad = await line()
        child.kill('SIGINT')

        assert.match(good, /^\d\d:\d\d:\d\d\.\d{3} {2}event {5}200 {2}PURCHASE {2}total=149\.99$/)
        assert.match(bad, /A·\[31mB {2}mail=ada·@example\.com$/)
        assert.deepEqual([await line(), await line()], [
            `${' '.repeat(14)}! Idempotency-Key 0b8f6f3e-6a0c-4a5e-9a53-0f3f3a3b6a01 was taken before.`,
            '2 requests, 2 accepted, with 1 event or update; 1 repeat.',
        ])
        assert.equal(await ended, 0)
    })

    test('writes JSON, the url first', async (t) => {
        const { child, line, rest, ended } = startCommand(t, 'collect', '--port', '0', '--json', '--faults', '500')
        const first = JSON.parse(await line())
        const answer = await send(first.url, sample('event'))
        const second = JSON.parse(await line())
        child.kill('SIGTERM')
        const [last] = (await rest()).map((text) => JSON.parse(text))

        assert.deepEqual([first.event, first.pid, answer.status], ['listening', child.pid, 500])
        assert.deepEqual([second.event, second.kind, second.status, second.fault], ['request', 'event', 500, '500'])
        assert.deepEqual([second.method, second.path, second.body], ['POST', '/v2/tracking-session-data', sample('event').body])
        assert.deepEqual([last.event, last.requests, last.accepted], ['ended', 1, 0])
        assert.equal(await ended, 0)
    })

    test('is quiet with --quiet', async (t) => {
        const { child, line, rest } = startCommand(t, 'collect', '--port', '0', '--json', '--quiet')
        const { url } = JSON.parse(await line())
        await send(url, sample('event'))
        child.kill('SIGTERM')

        assert.deepEqual((await rest()).map((text) => JSON.parse(text).event), ['ended'])
    })

    test('says that a collector runs on the port already, and where', async (t) => {
        const other = await startCollector()
        afterwards(t, () => other.close())
        const { status, errors } = await runCommand(t, 'collect', '--port', String(other.port))

        assert.equal(status, 1)
        assert.equal(
            errors,
            `mobile-tracker: Port ${other.port} is in use: a collector runs there already, at ${other.url}. `
                + 'Use that one, or give another with --port, or --port 0 for any free one.\n',
        )
    })

    const answers = {
        'another server': (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nWelcome to another server.'),
        'one that closes': (socket) => socket.end(),
        'one that is silent': () => {},
    }
    for (const [what, answer] of Object.entries(answers)) {
        test(`explains a port in use by ${what}`, async (t) => {
            const other = createServer((socket) => answer(socket.on('error', () => {}).resume()))
            await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve))
            afterwards(t, () => new Promise((resolve) => other.close(resolve)))
            const { port } = other.address()
            const { status, errors } = await runCommand(t, 'collect', '--port', String(port))

            assert.equal(status, 1)
            assert.equal(errors, `mobile-tracker: Port ${port} is in use. Give another with --port, or --port 0 for any free one.\n`)
        })
    }

    test('warns where other machines can reach it', async (t) => {
        const { child, line, ended } = startCommand(t, 'collect', '--port', '0', '--host', '0.0.0.0')
        const [, url] = /(http:\/\/127\.0\.0\.1:\d+)/.exec(await line())
        assert.equal((await send(url, sample('event'))).status, 200)
        child.kill('SIGTERM')

        assert.equal(await ended, 0)
        assert.match(child.errors, /^mobile-tracker: Warning: with --host 0\.0\.0\.0 every machine that reaches port \d+ can /)
    })

    test('listens on 127.0.0.1 alone by default', async (t) => {
        const { line } = startCommand(t, 'collect', '--port', '0', '--json')
        const { url } = JSON.parse(await line())
        const elsewhere = url.replace('127.0.0.1', '127.0.0.2')

        await assert.rejects(send(elsewhere, sample('event')), { code: 'ECONNREFUSED' })
        assert.equal((await send(url, sample('event'))).status, 200)
    })

    test('takes what the basic client sends at --basic-path', async (t) => {
        for (const [words, status] of [[[], 404], [['--basic-path', '/ingest'], 200], [['--any-path'], 200]]) {
            const { line } = startCommand(t, 'collect', '--port', '0', '--json', ...words)
            const { url } = JSON.parse(await line())

            assert.equal((await send(url, { ...sample('basic'), path: '/ingest' })).status, status, words.join(' '))
        }
    })

    test('--api takes the name of an API', async (t) => {
        const { line } = startCommand(t, 'collect', '--port', '0', '--api', 'segment')
        const [, url] = /(http:\S+)/.exec(await line())

        await send(url, sample('batch'))

        assert.match(await line(), /batch {5}200  Signed Up/)
        assert.match(await line(), /✘ A batch for MetaRouter does not belong here: with --api segment only Segment's requests may come\./)
    })

    test('explains an address that is not this machine\'s', async (t) => {
        const { status, errors } = await runCommand(t, 'collect', '--port', '0', '--host', '192.0.2.1')

        assert.equal(status, 1)
        assert.equal(errors, 'mobile-tracker: This machine has no address 192.0.2.1. Give another with --host.\n')
    })

    test('ends with its input under --until-stdin-ends', async (t) => {
        const { child, line, ended } = startCommand(t, 'collect', '--port', '0', '--until-stdin-ends')
        await line()
        child.stdin.end()

        assert.equal(await ended, 0)
    })

    test('ends at once, whatever hangs on it', async (t) => {
        const { child, line, ended } = startCommand(t, 'collect', '--port', '0', '--json', '--faults', 'stall,delay=60000')
        const { url } = JSON.parse(await line())
        const pending = [1, 2].map(() => send(url, sample('event')).catch(({ code }) => code))
        const waiting = send(url, { method: 'GET', path: '/wait?name=never' }).catch(({ code }) => code)
        await line()
        await line()
        child.kill('SIGTERM')

        assert.equal(await ended, 0)
        assert.deepEqual(await Promise.all(pending), ['ECONNRESET', 'ECONNRESET'])
        await waiting
    })

    test('goes on when nobody reads its output', async (t) => {
        const child = spawn(process.execPath, [COMMAND, 'collect', '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] })
        t.after(() => child.kill('SIGKILL'))
        const [first] = await once(child.stdout, 'data')
        child.stdout.pause()
        const { url } = JSON.parse(String(first).split('\n')[0])
        const long = { ...sample('event'), body: { brand_id: 1, session_id: 's', event_name: 'x'.repeat(20_000) } }
        for (let i = 0; i < 100; i++) assert.equal((await send(url, long)).status, 200)
        child.kill('SIGTERM')

        assert.deepEqual(await once(child, 'exit'), [0, null])
    })

    test('goes on when its reader has gone', async (t) => {
        const { child, line } = startCommand(t, 'collect', '--port', '0', '--json')
        const { url } = JSON.parse(await line())
        child.stdout.destroy()
        for (let i = 0; i < 3; i++) assert.equal((await send(url, sample('event'))).status, 200)
        child.kill('SIGTERM')

        assert.deepEqual(await once(child, 'exit'), [0, null])
    })
})
