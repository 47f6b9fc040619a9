import { MobileTrackerError } from './errors.js'

/** The version of the protocol that this client speaks. */
export const PROTOCOL_VERSION = 1

/**
 * Checks what a host says about itself.
 *
 * @param {{ name?: string, version?: string, protocolVersion?: number }} info
 * @param {string} path Where the host is.
 * @returns {MobileTrackerError | null} Null if this client can talk to it.
 */
export function checkInfo(info, path) {
    if (info.protocolVersion === PROTOCOL_VERSION) return null
    const theirs = info.protocolVersion ?? 'an unknown version'
    return new MobileTrackerError(
        'PROTOCOL_MISMATCH',
        `The host at ${path} (version ${info.version ?? 'unknown'}) speaks protocol version ${theirs}, this package ` +
            `speaks ${PROTOCOL_VERSION}. Use the host that belongs to this version of the package.`,
        { data: { hostVersion: info.version, hostProtocol: info.protocolVersion, clientProtocol: PROTOCOL_VERSION } },
    )
}
