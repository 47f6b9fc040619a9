const METHODS_WITHOUT_BODY = ['GET', 'HEAD']

/** A header's name as people write it: `x-api-key` becomes `X-Api-Key`. */
export function headerName(name) {
    return name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
}

/** A command that sends it again. The keys in it are masked: put your own in their place. */
export function curlCommand({ method, path, headers, raw }, origin) {
    const own = Object.entries(headers).filter(([name]) => !['content-length', 'content-encoding'].includes(name))
    const words = [
        'curl', '-X', method, quote(origin + path),
        ...own.flatMap(([name, value]) => ['-H', quote(`${headerName(name)}: ${value}`)]),
    ]
    if (raw !== '' && !METHODS_WITHOUT_BODY.includes(method)) words.push('--data-binary', quote(raw))
    return words.join(' ')
}

function quote(text) {
    return `'${text.replaceAll("'", "'\\''")}'`
}
