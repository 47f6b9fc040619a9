import { readFile } from 'node:fs/promises'

/** Folders with files for the page, by the path before their names. */
const FOLDERS = { page: new URL('./page/', import.meta.url), apis: new URL('./apis/', import.meta.url) }

/** Of the other folder, what the page needs. */
const SHARED = ['apis/layouts.js']

const TYPES = {
    html: 'text/html; charset=utf-8',
    css: 'text/css; charset=utf-8',
    js: 'text/javascript; charset=utf-8',
    svg: 'image/svg+xml',
}

/**
 * Headers of everything the collector serves to a browser: only the page's own files may run, no other page may
 * show it in a frame or load it, and no text may become markup, not even by a mistake in the page.
 */
export const SAFE = {
    'Content-Security-Policy': [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
        "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
}

/** @param {string} path @returns {string | null} The page's file at that path. */
export function assetAt(path) {
    if (SHARED.includes(path.slice(1))) return path.slice(1)
    return /^\/(page\/[a-z]+(?:-[a-z]+)*\.(?:css|js|svg))$/.exec(path)?.[1] ?? null
}

/**
 * Answers with one of the page's files.
 *
 * @param {import('node:http').ServerResponse} response
 * @param {string} name Such as `page/main.js`.
 */
export async function sendAsset(response, name) {
    let bytes
    try {
        const [folder, file] = name.split('/')
        bytes = await readFile(new URL(file, FOLDERS[folder]))
    } catch {
        response.writeHead(404, { 'Content-Type': 'text/plain' })
        return response.end(`The page has no file ${name.split('/')[1]}.\n`)
    }
    response.writeHead(200, { 'Content-Type': TYPES[name.split('.').at(-1)], 'Content-Length': bytes.length })
    response.end(bytes)
}
