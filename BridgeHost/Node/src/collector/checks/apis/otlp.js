import { show } from '../findings.js'
import { atLeast, every, exactly, filled, flag, isObject, text } from '../shape.js'

/** @typedef {import('../findings.js').Check} Check */

/** Whole numbers of 64 bits are decimal texts in JSON, and numbers are taken too (Protocol Buffers, "JSON mapping"). @type {Check} */
const whole = (value, findings) => {
    const digits = typeof value === 'number' ? String(value) : value
    if (typeof digits !== 'string' || !/^-?\d{1,19}$/.test(digits)) findings.say(`is ${show(value)}; it must be a whole number of 64 bits.`)
}

/** @type {Check} */
const double = (value, findings) => {
    if (typeof value !== 'number' && !['NaN', 'Infinity', '-Infinity'].includes(value)) findings.say(`is ${show(value)}; it must be a number.`)
}

/** One of the kinds of value that an attribute may have; none is null. @type {Check} */
const anyValue = (value, findings) => {
    exactly({}, {
        stringValue: text, boolValue: flag, intValue: whole, doubleValue: double, bytesValue: text,
        arrayValue: exactly({}, { values: (list, found) => every(anyValue)(list, found) }),
        kvlistValue: exactly({}, { values: (list, found) => attributes(list, found) }),
    })(value, findings)
    if (isObject(value) && Object.keys(value).length > 1) findings.say('has more than one kind of value.')
}

/** @type {Check} */
const attributes = (value, findings) => {
    every(exactly({ key: filled }, { value: anyValue }))(value, findings)
    if (!Array.isArray(value)) return
    const keys = value.map((member) => member?.key)
    const twice = keys.find((name, index) => keys.indexOf(name) !== index)
    if (twice !== undefined) findings.say(`has the key ${show(twice)} twice.`)
}

/** Members in snake case, or with a spelling mistake, would be ignored by a receiver without a word. */
const logRecord = exactly({}, {
    timeUnixNano: whole, observedTimeUnixNano: whole, severityNumber: whole, severityText: text, body: anyValue, attributes,
    droppedAttributesCount: whole, flags: whole, traceId: text, spanId: text, eventName: filled,
})

const scopeLogs = exactly({ logRecords: every(logRecord) }, {
    scope: atLeast({ name: filled }, { version: text, attributes }), schemaUrl: text,
})

const resourceLogs = exactly({ scopeLogs: every(scopeLogs) }, { resource: atLeast({}, { attributes }), schemaUrl: text })

/** `POST /v1/logs` in JSON @type {Check} */
export const otlp = exactly({ resourceLogs: every(resourceLogs) }, {})
