import { readFileSync } from 'node:fs'

/**
 * An example of a page, of those in that language.
 *
 * @param {URL} page
 * @param {'js' | 'swift'} language
 * @param {number} [number] How many come before it.
 * @returns {string}
 */
export function exampleIn(page, language, number = 0) {
    const all = [...readFileSync(page, 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))]
    const found = all[number]
    if (!found) throw new Error(`${page} has ${all.length} examples in ${language}.`)
    return found[1]
}

/** The same example against another backend. */
export function against(url, example) {
    return example.replaceAll(/https:\/\/api\.example\.com|http:\/\/127\.0\.0\.1:8123/g, url)
}
