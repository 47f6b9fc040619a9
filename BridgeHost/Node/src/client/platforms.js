/**
 * The platforms that have a package with a host, and by what npm chooses among these packages.
 * To add a platform, add a row here and run `make dist` on such a machine.
 *
 * @type {Record<string, { os: string[], cpu: string[], libc?: string[] }>}
 */
export const PLATFORMS = {
    'linux-x64': { os: ['linux'], cpu: ['x64'], libc: ['glibc'] },
}

/** The platform of this process. */
export const THIS_PLATFORM = `${process.platform}-${process.arch}`

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
