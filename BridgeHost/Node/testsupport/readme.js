import { readFileSync } from 'node:fs'

/**
 * The first example of a page that is in that language.
 *
 * @param {URL} page
 * @param {'js' | 'swift'} language
 * @returns {string}
 */
export function exampleIn(page, language) {
    const found = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(readFileSync(page, 'utf8'))
    if (!found) throw new Error(`${page} has no example in ${language}.`)
    return found[1]
}

/** The same example against another backend. */
export function against(url, example) {
    return example.replaceAll(/https:\/\/api\.example\.com|http:\/\/127\.0\.0\.1:8123/g, url)
}
