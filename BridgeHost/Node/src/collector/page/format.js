const clock = new Intl.DateTimeFormat(
    'en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
)
const minute = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const whole = new Intl.NumberFormat('en')

/** `14:03:27.512`, in the reader's time zone. */
export const timeText = (at) => clock.format(at)

/** `14:03` */
export const minuteText = (at) => minute.format(at)

/** `12,480` */
export const count = (number) => whole.format(number)

/** `1 event`, `3 events` */
export const plural = (number, word) => `${count(number)} ${word}${number === 1 ? '' : 's'}`

/** `312 B`, `1.4 KB` */
export function bytes(size) {
    if (size < 1000) return `${size} B`
    return size < 1_000_000 ? `${(size / 1000).toFixed(1)} KB` : `${(size / 1_000_000).toFixed(1)} MB`
}

/** A length of time as a person says it: `850 ms`, `12 s`, `4 min`, `2 h 5 min`. */
export function duration(milliseconds) {
    if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
    const seconds = Math.round(milliseconds / 1000)
    if (seconds < 60) return `${seconds} s`
    const minutes = Math.round(seconds / 60)
    if (minutes < 60) return `${minutes} min`
    return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** The beginning of an id: enough to tell two apart. */
export const short = (id) => (id.length > 12 ? `${id.slice(0, 8)}…` : id)

/** A value as one line of text. */
export function line(value, most = 80) {
    const text = typeof value === 'string' ? value : plainJSON(value)
    return text.length > most ? `${text.slice(0, most - 1)}…` : text
}

function plainJSON(value) {
    if (value === null || typeof value !== 'object') return String(value)
    if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${value.length}]`
    if ('spelling' in value) return value.spelling
    return Object.keys(value).length === 0 ? '{}' : '{…}'
}
