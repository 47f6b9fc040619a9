import { closeSync, openSync, readSync } from 'node:fs'

/**
 * The platforms that have a package with a host, and by what npm chooses among these packages.
 * To add a platform, add a row here and run `make dist` on such a machine.
 *
 * @type {Record<string, { os: string[], cpu: string[], libc?: string[] }>}
 */
export const PLATFORMS = {
    'linux-x64': { os: ['linux'], cpu: ['x64'], libc: ['glibc'] },
    'linux-arm64': { os: ['linux'], cpu: ['arm64'], libc: ['glibc'] },
}

/** The platform of this process. */
export const THIS_PLATFORM = `${process.platform}-${process.arch}`

/** What a processor is called in the header of an ELF file. */
const MACHINES = new Map([[0x03, 'ia32'], [0x28, 'arm'], [0x3e, 'x64'], [0xb7, 'arm64'], [0xf3, 'riscv64']])

/** The package that carries the host for a platform. */
export function packageFor(platform) {
    return `@mobiletracker/bridge-${platform}`
}

/** Whether this is a Linux whose C library is not glibc, such as Alpine. */
export function isMusl() {
    if (process.platform !== 'linux') return false
    process.report.excludeNetwork = true // Otherwise the report resolves the names of all connections.
    return process.report.getReport().header.glibcVersionRuntime === undefined
}

/** The platform a program was built for, by its first bytes; null if unknown. */
export function platformOf(path) {
    const head = readHead(path)
    if (head.length < 20) return null
    if (head.readUInt32BE(0) === 0x7f454c46) {
        const isLittleEndian = head[5] === 1
        const machine = MACHINES.get(isLittleEndian ? head.readUInt16LE(18) : head.readUInt16BE(18))
        return machine ? `linux-${machine}` : null
    }
    if (head.readUInt32LE(0) === 0xfeedfacf) return head.readUInt32LE(4) === 0x0100000c ? 'darwin-arm64' : 'darwin-x64'
    return null
}

function readHead(path) {
    const head = Buffer.alloc(20)
    try {
        const file = openSync(path, 'r')
        try {
            return head.subarray(0, readSync(file, head, 0, head.length, 0))
        } finally {
            closeSync(file)
        }
    } catch {
        return Buffer.alloc(0) // Then the platform stays unknown.
    }
}
