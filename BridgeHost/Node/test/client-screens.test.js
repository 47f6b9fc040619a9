import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { suite, test } from 'node:test'
import { fakeTracker } from '../testsupport/hosts.js'
import { followScreens } from '../src/client/screens.js'

/** As much of Electron's WebContents as there is to follow. */
class FakeWebContents extends EventEmitter {
    title = ''

    getTitle() {
        return this.title
    }

    navigate(url) {
        this.emit('did-navigate', {}, url, 200, 'OK')
    }

    navigateInPage(url, isMainFrame = true) {
        this.emit('did-navigate-in-page', {}, url, isMainFrame, 1, 1)
    }

    say(title) {
        this.title = title
        this.emit('page-title-updated', {}, title, true)
    }
}

function follow(t) {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const contents = new FakeWebContents()
    const screens = []
    const stop = followScreens(contents, (name, url) => screens.push([name, url]))
    return { contents, screens, stop }
}

suite('following an Electron window', () => {
    test('names a page by the title that comes after the navigation', (t) => {
        const { contents, screens } = follow(t)

        contents.navigate('https://shop.example/')
        assert.deepEqual(screens, [])
        contents.say('Shop')
        contents.navigateInPage('https://shop.example/cart')
        contents.say('Cart')

        assert.deepEqual(screens, [['Shop', 'https://shop.example/'], ['Cart', 'https://shop.example/cart']])
    })

    test('takes the title there is, else the URL, when none comes', (t) => {
        const { contents, screens } = follow(t)

        contents.navigate('https://shop.example/')
        t.mock.timers.tick(250)
        contents.title = 'Shop'
        contents.navigateInPage('https://shop.example/#top')
        t.mock.timers.tick(250)

        assert.deepEqual(screens, [
            ['https://shop.example/', 'https://shop.example/'],
            ['Shop', 'https://shop.example/#top'],
        ])
    })

    test('reports a page that is left before its title comes, in order', (t) => {
        const { contents, screens } = follow(t)

        contents.navigate('https://shop.example/a')
        contents.navigate('https://shop.example/b')
        contents.say('B')

        assert.deepEqual(screens, [
            ['https://shop.example/a', 'https://shop.example/a'],
            ['B', 'https://shop.example/b'],
        ])
    })

    test('ignores frames in the page, and titles that change later', (t) => {
        const { contents, screens } = follow(t)

        contents.navigateInPage('https://ads.example/', false)
        contents.say('(1) Shop')

        assert.deepEqual(screens, [])
    })

    test('ends when it is stopped and when the window is destroyed', (t) => {
        const first = follow(t)
        first.contents.navigate('https://shop.example/')
        first.stop()
        first.contents.navigate('https://shop.example/later')
        assert.deepEqual(first.screens, [['https://shop.example/', 'https://shop.example/']])

        const contents = new FakeWebContents()
        followScreens(contents, () => assert.fail())
        contents.emit('destroyed')
        assert.deepEqual(contents.eventNames(), [])
    })

    test('feeds screenDidAppear, and does not warn of a screen shown twice', async (t) => {
        const results = { screenDidAppear: { status: 'dropped', reason: 'REPEATED_SCREEN' } }
        const { tracker, warnings, lives } = fakeTracker(t, { results })
        const contents = new FakeWebContents()

        tracker.trackScreens(contents)
        contents.navigate('https://shop.example/')
        contents.say('Shop')
        await tracker.track('AFTER')
        assert.deepEqual(warnings, [])
        await tracker.screenDidAppear('Shop', 'https://shop.example/')

        const [first] = lives()[0]
        assert.equal(first.method, 'screenDidAppear')
        assert.deepEqual([first.params.name, first.params.url], ['Shop', 'https://shop.example/'])
        assert.equal(warnings.length, 1)
    })
})
