import { MobileTrackerError } from './errors.js'
import { clientText } from './fault.js'

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
    const { version, protocolVersion: theirs } = info
    if (theirs === PROTOCOL_VERSION) return null
    return new MobileTrackerError(
        'PROTOCOL_MISMATCH',
        clientText('otherProtocol', { path, version, theirs, ours: PROTOCOL_VERSION }),
        { data: { hostVersion: version, hostProtocol: theirs, clientProtocol: PROTOCOL_VERSION } },
    )
}
