import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { basename } from 'node:path'
import { runTool } from './packages.js'
import { afterwards } from './hosts.js'

/**
 * Serves packages as npm's registry does.
 *
 * @param {import('node:test').TestContext} t
 * @param {string[]} tarballs
 * @returns {Promise<string>} The registry's address.
 */
export async function startRegistry(t, tarballs) {
    const files = new Map(tarballs.map((path) => [`/${basename(path)}`, readFileSync(path)]))
    const documents = new Map()
    const server = createServer(({ url }, response) => {
        const found = files.get(url) ?? documents.get(decodeURIComponent(url))
        response.writeHead(found ? 200 : 404).end(found ?? '{}')
    })
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    afterwards(t, () => new Promise((resolve) => server.close(resolve)))
    const base = `http://127.0.0.1:${server.address().port}`
    for (const path of tarballs) {
        const manifest = JSON.parse(runTool('tar', ['-xzOf', path, 'package/package.json']).stdout)
        const integrity = `sha512-${createHash('sha512').update(readFileSync(path)).digest('base64')}`
        const version = { ...manifest, dist: { tarball: `${base}/${basename(path)}`, integrity } }
        documents.set(`/${manifest.name}`, JSON.stringify({
            name: manifest.name, 'dist-tags': { latest: manifest.version }, versions: { [manifest.version]: version },
        }))
    }
    return base
}
