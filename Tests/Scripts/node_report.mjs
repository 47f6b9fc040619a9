// A reporter for `node --test`: a line of JSON for each test, with its file, its title and what it came to.
// The TAP reporter does not name the file.
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const verdictOf = (type, data) => {
    if (data.skip !== undefined) return 'skipped';
    if (data.todo !== undefined) return 'todo';
    return type === 'test:pass' ? 'passed' : 'failed';
};

/** Where in the test's own file the error was thrown, or else where the test stands. */
const placeOf = (error, data) => {
    const file = data.file?.startsWith('file:') ? fileURLToPath(data.file) : (data.file ?? '');
    const frame = String(error?.stack ?? '')
        .split('\n')
        .find((line) => line.includes(`${path.basename(file)}:`));
    const line = frame?.match(/:(\d+):\d+\)?$/)?.[1] ?? data.line;
    return { file: path.basename(file), place: `${path.basename(file)}:${line}` };
};

export default async function* report(events) {
    const printed = new Map();
    for await (const { type, data } of events) {
        if (type === 'test:stderr') {
            printed.set(data.file, `${printed.get(data.file) ?? ''}${data.message}`.slice(-2000));
        } else if (type === 'test:pass' || type === 'test:fail') {
            const error = data.details?.error?.cause ?? data.details?.error;
            const { file, place } = placeOf(error, data);
            // A file that cannot be run is reported as a test of the file's name: what it printed says why.
            const whole = type === 'test:fail' && path.basename(data.name) === file;
            const text = String(error?.message ?? error ?? '') + (whole ? `\n${printed.get(data.file) ?? ''}` : '');
            yield `${JSON.stringify({
                file,
                name: data.name,
                verdict: verdictOf(type, data),
                suite: data.details?.type === 'suite' || undefined,
                ...(type === 'test:fail' && {
                    place,
                    bySubtest: data.details?.error?.failureType === 'subtestsFailed' || undefined,
                    error: text,
                }),
            })}\n`;
        }
    }
}
