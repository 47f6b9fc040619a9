/**
 * The platforms for which there is a package with a host, and what npm needs to know to install the one that fits.
 * A row here and `make dist` on such a machine are all that a further platform takes.
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
    process.report.excludeNetwork = true // Else it asks name servers about every connection.
    return process.report.getReport().header.glibcVersionRuntime === undefined
}
