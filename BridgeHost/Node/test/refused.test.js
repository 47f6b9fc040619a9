import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { eventText, tableText } from '../src/refused/table.js'
import { COMMAND } from '../testsupport/commands.js'
import { freshFolder } from '../testsupport/hosts.js'
import { run } from '../testsupport/programs.js'
import { eventNames, realTracker, withoutHost } from '../testsupport/real-host.js'

/** Runs `mobile-tracker refused`, in an environment of its own. */
async function refused(t, words, env = {}) {
    const { code, stdout, stderr } = await run(t, process.execPath, [COMMAND, 'refused', ...words], { env: { ...process.env, ...env } })
    return { code, out: stdout, errors: stderr }
}

/** A state folder whose server has refused PURCHASE (422) and SIGN_UP (400), and what made it. */
async function withRefused(t, options) {
    const made = await realTracker(t, options)
    const { tracker, collector, config } = made
    await tracker.init('925', config())
    collector.faults([{ status: 422, body: { error: 'no currency' }, name: 'PURCHASE' }, { status: 400, name: 'SIGN_UP' }])
    const { messageId } = await tracker.track('PURCHASE', { total: 12345678901234567890n })
    const { messageId: other } = await tracker.track('SIGN_UP')
    await tracker.flush()
    const command = (words, env) => refused(t, [...words, '--storage-dir', made.folder], env)
    const names = async (...words) => JSON.parse((await command(['list', '--json', ...words])).out).events.map(({ event }) => event)
    return { ...made, messageId, other, command, names }
}

suite('refused events, listed', { skip: withoutHost }, () => {
    test('are a table that says which, why, how often, and what to do next', async (t) => {
        const { folder, messageId, other, command } = await withRefused(t)
        const { code, out } = await command(['list'])

        const [title, head, first, second, empty, end] = out.split('\n')
        assert.deepEqual([code, title, empty], [0, `State folder  ${folder}`, ''])
        assert.equal(head, 'TIME                  CLIENT   EVENT     WHY           TRIES  MESSAGE ID')
        assert.match(first, new RegExp(`^\\S+T\\S+Z  tracker  PURCHASE  rejected 422      1  ${messageId}$`))
        assert.match(second, new RegExp(`^\\S+T\\S+Z  tracker  SIGN_UP   rejected 400      1  ${other}$`))
        assert.equal(end, `2 refused events. "mobile-tracker refused show ID --storage-dir ${folder}" says what the server answered; `
            + `"mobile-tracker refused retry --storage-dir ${folder}" queues them again.`)
    })

    test('fit a narrow terminal, the message id whole on a line of its own', async (t) => {
        const { messageId, command } = await withRefused(t)
        const { events } = JSON.parse((await command(['list', '--json'])).out)
        const text = tableText([{ ...events[0], event: 'A_NAME_THAT_IS_LONGER_THAN_ITS_ROOM' }, events[1]], { columns: 64 })

        const lines = text.trimEnd().split('\n')
        assert.deepEqual(lines.filter((line) => line.length > 64), [])
        assert.match(lines[2], /  A_NAME_THAT…  rejected 422/)
        assert.equal(lines[3], `  ${messageId}`)
    })

    test('cannot move the cursor', () => {
        const event = {
            client: 'tracker', messageId: 'm', call: 'track', event: 'A\u001b[2J', reason: 'rejected', status: 400, answer: 'no\u001b[2J\n',
            refusedAt: '2026-01-31T09:30:00.000Z', occurredAt: '2026-01-31T09:30:00.000Z', attempts: 1, sessionId: null, body: {}, origin: 'o',
        }
        assert.ok(!`${tableText([event], {})}${eventText(event, {})}`.includes('\u001b'))
    })

    test('are JSON for a program, each number as it was given', async (t) => {
        const { folder, collector, messageId, command } = await withRefused(t)
        const { out } = await command(['list', '--json', '--event', 'PURCHASE'])

        const [event, ...others] = JSON.parse(out).events
        assert.deepEqual(others, [])
        assert.deepEqual(
            [event.folder, event.client, event.messageId, event.event, event.reason, event.status, event.attempts, event.origin, event.answer],
            [folder, 'tracker', messageId, 'PURCHASE', 'rejected', 422, 1, collector.url, '{"error":"no currency"}'],
        )
        assert.match(out, /"data":\{"total":12345678901234567890\}/)
    })

    test('are those that the filter means', async (t) => {
        const { messageId, names, command } = await withRefused(t)

        assert.deepEqual(await names('--status', '400'), ['SIGN_UP'])
        assert.deepEqual(await names('--status', '400', '--status', '422'), ['PURCHASE', 'SIGN_UP'])
        assert.deepEqual(await names('--event', 'PURCHASE', '--status', '400'), [])
        assert.deepEqual(await names('--message-id', messageId), ['PURCHASE'])
        assert.deepEqual(await names('--reason', 'rejected', '--client', 'tracker', '--since', '2h'), ['PURCHASE', 'SIGN_UP'])
        assert.deepEqual(await names('--reason', 'poison'), [])
        assert.deepEqual(await names('--client', 'analytics'), [])
        assert.deepEqual(await names('--until', '2h'), [])
        assert.deepEqual(await names('--until', '2020-01-31'), [])
        assert.deepEqual(await names('--since', '2020-01-31T09:30:00+02:00'), ['PURCHASE', 'SIGN_UP'])
        assert.equal((await command(['list', '--event', 'NONE'])).out, 'No refused events match.\n')
    })

    test('are those of all programs, where no folder is named', async (t) => {
        const root = freshFolder(t)
        const { messageId } = await withRefused(t, { folder: join(root, 'mobile-tracker', 'shop') })
        const { other } = await withRefused(t, { folder: join(root, 'mobile-tracker', 'blog') })
        const { code, out } = await refused(t, ['list'], { XDG_STATE_HOME: root })

        assert.equal(code, 0)
        assert.match(out, /^State folder  \S+\/blog\n[^]*^State folder  \S+\/shop\n[^]*^4 refused events\. "mobile-tracker refused show ID" /m)
        assert.ok(out.includes(messageId) && out.includes(other))
        const inFolder = await refused(t, ['list', '--status', '422'], { MOBILE_TRACKER_STORAGE_DIR: join(root, 'mobile-tracker', 'shop') })
        assert.match(inFolder.out, new RegExp(`${messageId}\n\n1 refused event\\. `))
        const unclear = await refused(t, ['retry'], { XDG_STATE_HOME: root })
        assert.equal(unclear.code, 64)
        assert.match(unclear.errors, /Several programs have a state folder; say which one is meant:\n {2}--storage-dir \S+\/blog\n {2}--storage-dir \S+\/shop\n/)
    })

    test('of the other programs are read past a folder that is damaged', async (t) => {
        const root = freshFolder(t)
        const { messageId } = await withRefused(t, { folder: join(root, 'mobile-tracker', 'shop') })
        const damaged = join(root, 'mobile-tracker', 'blog')
        mkdirSync(damaged)
        writeFileSync(join(damaged, 'tracker.sqlite3'), 'This is no database. '.repeat(50))
        const env = { XDG_STATE_HOME: root }

        for (const words of [['list'], ['list', '--json'], ['show', messageId], ['export']]) {
            const { code, out, errors } = await refused(t, words, env)
            assert.equal(code, 1, words.join(' '))
            assert.ok(out.includes(messageId), words.join(' '))
            assert.match(errors, /^mobile-tracker: \S+\/blog: [^\n]* not a database[^\n]*\n$/)
        }
        const alone = await refused(t, ['list', '--storage-dir', damaged], env)
        assert.deepEqual([alone.code, alone.out], [1, ''])
        assert.match(alone.errors, /^mobile-tracker: \S+\/blog: [^\n]* not a database[^\n]*\n$/)
    })

    test('are none where nothing was refused', async (t) => {
        const folder = freshFolder(t)

        assert.equal((await refused(t, ['list', '--storage-dir', folder])).out, 'No events were refused.\n')
        assert.deepEqual(readdirSync(folder), [])
    })
})

suite('a refused event', { skip: withoutHost }, () => {
    test('is shown whole, with the answer', async (t) => {
        const { messageId, command } = await withRefused(t)
        const { out } = await command(['show', messageId])

        assert.match(out, new RegExp(`^Message id  ${messageId}\nClient      tracker → http://127\\.0\\.0\\.1:\\d+\nCall        track\nEvent       PURCHASE\n`))
        assert.match(out, /^Why {9}rejected 422\nTries {7}1\nAnswer {6}\{"error":"no currency"\}\n\nBody\n\{\n {2}"event_name": "PURCHASE",\n {2}"data": \{\n {4}"total": 12345678901234567890\n/m)
        assert.equal(JSON.parse((await command(['show', messageId, '--json'])).out).messageId, messageId)
    })

    test('that there is not is said to be none', async (t) => {
        const { command } = await withRefused(t)
        const { code, errors } = await command(['show', 'other'])

        assert.deepEqual([code, errors], [1, 'mobile-tracker: No refused event has the message id other.\n'])
    })
})

suite('refused events, tried again', { skip: withoutHost }, () => {
    test('go out once, under their ids, at the next start', async (t) => {
        const { tracker, collector, config, folder, messageId, command, names } = await withRefused(t)
        await tracker.shutdown()
        const { code, out } = await command(['retry', '--event', 'PURCHASE'])

        assert.equal(code, 0)
        assert.equal(out, '1 event is queued again. No program has the queue open: the events go out when MobileTracker is initialised '
            + 'next, for the same address.\n')
        assert.deepEqual(await names(), ['SIGN_UP'])
        assert.equal((await command(['retry', '--event', 'PURCHASE'])).out, 'No refused events match: none was queued again.\n')
        const next = await realTracker(t, { folder })
        await next.tracker.init('925', config())
        await next.tracker.flush()
        const taken = collector.received({ kind: 'event', accepted: true })
        assert.deepEqual(taken.map(({ headers, raw }) => [headers['idempotency-key'], raw.includes('12345678901234567890')]), [[messageId, true]])
    })

    test('go out at the next flush of a program that runs, which is named', async (t) => {
        const { tracker, collector, pid, command } = await withRefused(t)
        const { out } = await command(['retry'])

        assert.match(out, new RegExp('^2 events are queued again\\. The events go out at the next call or flush of the program that has the queue '
            + `open: process ${pid()} \\(BridgeHost of .*\\)\\.\n$`))
        await tracker.flush()
        assert.deepEqual(eventNames(collector), ['PURCHASE', 'SIGN_UP'])
    })

    test('are counted for a program', async (t) => {
        const { folder, command } = await withRefused(t)

        assert.deepEqual(JSON.parse((await command(['retry', '--json'])).out), { folder, requeued: 2 })
    })
})

suite('refused events, removed', { skip: withoutHost }, () => {
    test('are those that the filter means, or all on demand', async (t) => {
        const { folder, command, names } = await withRefused(t)

        assert.equal((await command(['drop', '--status', '422'])).out, '1 refused event was removed.\n')
        assert.deepEqual(await names(), ['SIGN_UP'])
        assert.deepEqual(JSON.parse((await command(['drop', '--all', '--json'])).out), { folder, dropped: 1 })
        assert.deepEqual(await names(), [])
    })

    test('are not all of them by mistake', async (t) => {
        const { command, names } = await withRefused(t)
        const { code, errors } = await command(['drop'])

        assert.equal(code, 64)
        assert.match(errors, /^mobile-tracker: This would remove all refused events: say which, or give --all\. Try/)
        assert.equal((await command(['drop', '--all', '--status', '422'])).code, 64)
        assert.deepEqual(await names(), ['PURCHASE', 'SIGN_UP'])
    })
})

suite('refused events, exported', { skip: withoutHost }, () => {
    test('are one a line, on standard output or in a new file of this user alone', async (t) => {
        const { messageId, other, command } = await withRefused(t)
        const file = join(freshFolder(t), 'refused.ndjson')
        const { out } = await command(['export'])
        const written = await command(['export', '--output', file])

        const lines = out.trimEnd().split('\n')
        assert.deepEqual(lines.map((line) => JSON.parse(line).messageId), [messageId, other])
        assert.match(lines[0], /"total":12345678901234567890/)
        assert.equal(written.out, `Wrote 2 refused events to ${file}.\n`)
        assert.deepEqual([readFileSync(file, 'utf8'), statSync(file).mode & 0o777], [out, 0o600])
        const again = await command(['export', '--output', file])
        assert.deepEqual([again.code, /is there already/.test(again.errors)], [64, true])
    })
})

suite('a wrong argument of refused', () => {
    const folder = '/nowhere/state'
    for (const [words, status, reason] of [
        [[], 64, /refused needs list, show, retry, drop or export\./],
        [['lsit'], 64, /There is no refused lsit; did you mean refused list\?/],
        [['list', '--client', 'trakcer'], 64, /--client is "trakcer"; it must be one of tracker, analytics, basic \(did you mean tracker\?\)\./],
        [['list', '--reason', 'no'], 64, /--reason is "no"; it must be one of rejected, tooLarge, sessionGone, poison, plan\./],
        [['list', '--status', '42'], 64, /--status is "42"; it must be a whole number from 100 to 599\./],
        [['retry', '--since', 'yesterday'], 64, /--since is "yesterday"; it must be a time such as 2026-01-31T09:30:00Z, or an age such as 2h or 7d\./],
        [['drop', '--until', '2026-13-31'], 64, /--until is "2026-13-31"; it must be a time/],
        [['drop', '--message-id', ''], 64, /"" is no message id: those have 1 to 128 printable ASCII characters\./],
        [['show'], 64, /^mobile-tracker: refused show needs ID\./],
        [['show', 'a', 'b'], 64, /"b" does not belong here\./],
        [['list', '--evnet', 'A'], 64, /There is no option --evnet; did you mean --event\?/],
        [['list', '--storage-dir', folder], 1, /There is no folder \/nowhere\/state: nothing was tracked with it yet\./],
    ]) {
        test(`is named: refused ${words.join(' ')}`, async (t) => {
            const { code, out, errors } = await refused(t, words)

            assert.deepEqual([code, out], [status, ''])
            assert.match(errors, reason)
            assert.ok(!existsSync(folder))
        })
    }

    test('is a folder that cannot be reached', { skip: withoutHost }, async (t) => {
        const link = join(freshFolder(t), 'link')
        symlinkSync(link, link)
        const { code, out, errors } = await refused(t, ['list', '--storage-dir', join(link, 'state')])

        assert.deepEqual([code, out], [1, ''])
        assert.match(errors, /^mobile-tracker: The folder \S+\/link\/state cannot be read: ELOOP: [^\n]+\n$/)
    })

    test('is a folder that no host can read', { skip: withoutHost }, async (t) => {
        const folder = freshFolder(t)
        writeFileSync(join(folder, 'tracker.sqlite3'), 'no database, but long enough to be read as one'.repeat(100))
        const { code, errors } = await refused(t, ['list', '--storage-dir', folder])

        assert.equal(code, 1)
        assert.match(errors, new RegExp(`^mobile-tracker: ${folder}: .+\n$`))
    })

    test('is a host that is not there', async (t) => {
        const { code, errors } = await refused(t, ['list', '--storage-dir', freshFolder(t)], { MOBILE_TRACKER_HOST: '/nowhere/BridgeHost' })

        assert.equal(code, 1)
        assert.match(errors, /^mobile-tracker: The host program was not found: mobile-tracker doctor says where it was looked for\.\n$/)
    })
})
