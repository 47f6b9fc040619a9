import { basename } from 'node:path'
import { readText } from '../command-line.js'
import { Plan, PlanError } from './plan.js'

/**
 * Reads a plan file.
 *
 * @param {string} path
 * @returns {Plan}
 * @throws {import('../command-line.js').CommandError} If it cannot be read.
 * @throws {PlanError} If it is no plan.
 */
export function readPlan(path) {
    const text = readText(path)
    try {
        return new Plan(JSON.parse(text))
    } catch (error) {
        if (error instanceof SyntaxError) throw new PlanError([`${basename(path)} is not JSON: ${error.message}.`])
        throw error
    }
}
