/**
 * Saves the requests behind these rows as JSON lines: one request a line, in order, so that `mobile-tracker replay` can
 * send them again. Keys are masked: the page has never had them.
 *
 * @param {import('./event.js').Row[]} rows
 * @returns {Promise<number>} How many requests there are.
 */
export async function save(rows) {
    const records = new Map(rows.map(({ record }) => [record.seq, record]))
    const lines = []
    for (const record of records.values()) lines.push(`${JSON.stringify(lineOf(await whole(record)))}\n`)
    const url = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }))
    const link = document.createElement('a')
    link.href = url
    link.download = `received-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.jsonl`
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 10_000)
    return records.size
}

/** Without what says how the body was wrapped: here it stands unwrapped. */
function lineOf(record) {
    const { 'content-encoding': _, 'content-length': __, ...headers } = record.headers
    const { at, method, path, raw, made, kind, status, accepted, attempt, repeat } = record
    const { problems, plan, flags, fault } = record
    return {
        at, method, path, headers, body: raw, session: made, kind, status, accepted, attempt, repeat, problems, plan,
        flags, fault,
    }
}

/** A long body was sent cut short. Where the collector has forgotten the rest, what there is must do. */
async function whole(record) {
    if (!record.isCut) return record
    const response = await fetch(`/record?seq=${record.seq}`)
    return response.ok ? (await response.json()).requests[0] : record
}
