#!/usr/bin/env node
import { main } from '../src/command.js'

// Not by setting exitCode: a reader that has stopped reading our output must not keep the process.
process.exit(await main(process.argv.slice(2)))
