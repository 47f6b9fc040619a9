import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { CommandError } from '../command-line.js'
import { Plan, PlanError } from './plan.js'

/**
 * Reads a plan file.
 *
 * @param {string} path
 * @returns {Plan}
 * @throws {CommandError} If it cannot be read.
 * @throws {PlanError} If it is no plan.
 */
export function readPlan(path) {
    const text = readFile(path)
    try {
        return new Plan(JSON.parse(text))
    } catch (error) {
        if (error instanceof SyntaxError) throw new PlanError([`${basename(path)} is not JSON: ${error.message}.`])
        throw error
    }
}

function readFile(path) {
    try {
        return readFileSync(path, 'utf8')
    } catch (error) {
        throw new CommandError(`${path} cannot be read: ${error.message}.`)
    }
}
