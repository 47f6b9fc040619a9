import { svg } from './dom.js'

const PATHS = {
    pause: 'M9 6v12M15 6v12',
    play: 'M8 5.5v13l10-6.5z',
    fault: 'M13 3 5 14h6l-1 7 8-11h-6z',
    clients: 'M4 18v-1a4 4 0 0 1 4-4h3a4 4 0 0 1 4 4v1'
        + 'M9.5 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6M17 13.5a3.5 3.5 0 0 1 3 3.5v1M15.5 4.2a3 3 0 0 1 0 5.6',
    save: 'M12 4v10m0 0 4-4m-4 4-4-4M5 18.5h14',
    trash: 'M5 7h14M10 7V5h4v2M7 7l.8 12h8.4L17 7',
    theme: 'M12 4a8 8 0 1 0 8 8 6 6 0 0 1-8-8',
    help: 'M9.2 9a3 3 0 1 1 4.3 2.7c-1 .5-1.5 1.1-1.5 2.3M12 17.5v.1',
    close: 'm6 6 12 12M18 6 6 18',
    up: 'm6 14 6-6 6 6',
    down: 'm6 10 6 6 6-6',
    copy: 'M9 9V5h10v10h-4M5 9h10v10H5z',
    check: 'm5 12.5 4.5 4.5L19 7.5',
    cross: 'm7 7 10 10M17 7 7 17',
    warn: 'M12 5v8.5M12 17.8v.1',
    cut: 'M4 12h5M15 12h5M10.5 8l3 8',
    repeat: 'M5 11a7 7 0 0 1 12-4l2 2m0-5v5h-5M19 13a7 7 0 0 1-12 4l-2-2m0 5v-5h5',
    search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13M15.5 15.5 20 20',
    timeline: 'M5 6h.1M9 6h11M5 12h.1M9 12h11M5 18h.1M9 18h11',
    person: 'M12 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M5.5 19.5a6.5 6.5 0 0 1 13 0',
    gap: 'M4 12h4M16 12h4M11.95 12h.1',
    filter: 'M4 6h16l-6.5 7.5V19l-3-1.5v-4z',
}

/** A drawn sign. Screen readers skip it: the element around it has a label. */
export function icon(name) {
    const path = svg('path', { d: PATHS[name] })
    return svg('svg', { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true', focusable: 'false' }, path)
}
