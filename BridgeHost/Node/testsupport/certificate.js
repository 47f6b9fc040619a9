import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freshFolder } from './hosts.js'

/**
 * A certificate for this machine, signed by itself.
 *
 * @param {import('node:test').TestContext} t
 * @param {number} days How long it is good for.
 * @returns {{ path: string, options: { key: Buffer, cert: Buffer } }} Its file, and what a server needs of it.
 */
export function certificate(t, days) {
    const folder = freshFolder(t)
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    execFileSync('openssl', [
        'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key, '-out', cert,
        '-days', String(days), '-subj', '/CN=doctor.test', '-addext', 'subjectAltName=IP:127.0.0.1',
    ], { stdio: 'ignore' })
    return { path: cert, options: { key: readFileSync(key), cert: readFileSync(cert) } }
}
