/**
 * Saves the requests behind these rows as JSON lines: one request a line, in order, as `/received` gives them. Keys are
 * masked: the page has never had them.
 *
 * @param {import('./event.js').Row[]} rows
 * @returns {Promise<number>} How many requests there are.
 */
export async function save(rows) {
    const records = new Map(rows.map(({ record }) => [record.seq, record]))
    const lines = []
    for (const record of records.values()) lines.push(`${JSON.stringify(await whole(record))}\n`)
    const url = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }))
    const link = document.createElement('a')
    link.href = url
    link.download = `received-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.jsonl`
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 10_000)
    return records.size
}

/** A long body was sent cut short. Where the collector has forgotten the rest, what there is must do. */
async function whole(record) {
    if (!record.isCut) return record
    const response = await fetch(`/record?seq=${record.seq}`)
    return response.ok ? { ...(await response.json()).requests[0], body: undefined } : record
}
