#!/usr/bin/env node
import { main } from '../src/command.js'

// A reader that wants no more, such as `head`, is no error. What a program ended by SIGPIPE has for its status.
const READER_HAS_GONE = 141

for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
        // The collector goes on without a reader.
        if (stream.listenerCount('error') > 1) return
        if (error.code !== 'EPIPE') throw error
        process.exit(READER_HAS_GONE)
    })
}

// Not by setting exitCode: a reader that has stopped reading our output must not keep the process.
process.exit(await main(process.argv.slice(2)))
