/**
 * Starting other programs from a script, and saying how long it took.
 *
 * A program that fails ends the script with its own exit code, after its own
 * words: nothing is repeated, no stack trace of ours is printed over it.
 */
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'

/** The repository's root. */
export const root = resolve(import.meta.dirname, '../..')

/** A failure that needs no stack trace: the text says it all. */
export class Failure extends Error {
  constructor(message, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Runs a program with our standard streams (`quiet`: says something only if it fails); a Failure unless it exits with 0. */
export function run(command, args, { cwd = root, env = {}, quiet = false } = {}) {
  const output = quiet ? 'pipe' : 'inherit'
  const { status, signal, error, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
    maxBuffer: 64 << 20,
  })
  if (error) throw new Failure(`${command}: ${error.message}`)
  if (status === 0) return
  if (quiet) console.error(`${stdout}${stderr}`)
  throw new Failure(`${command} ${args[0] ?? ''}: ${signal ?? `exit code ${status}`}`, status ?? 1)
}

/** @returns {string | null} trimmed standard output (`mergeErrors`: standard error behind it); null where the program is missing or fails */
export function capture(command, args, options = {}) {
  const { cwd = root, env = {}, showErrors = false, mergeErrors = false } = options
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', showErrors ? 'inherit' : 'pipe'],
    maxBuffer: 64 << 20,
  })
  if (status !== 0) return null
  return (mergeErrors ? `${stdout}${stderr}` : stdout).trim()
}

/** Runs a JavaScript program of node_modules with this very Node. */
export function runTool(path, args, options) {
  run(process.execPath, [join(root, 'node_modules', path), ...args], options)
}

/** Does one step and prints its name and seconds; hands back what the step returned. */
export async function step(name, action) {
  const start = performance.now()
  const result = await action()
  console.log(`== ${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`)
  return result
}

/** The outermost frame of a script: a Failure becomes its text and exit code. */
export async function main(action) {
  try {
    await action()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    console.error(error.message)
    process.exitCode = error.exitCode
  }
}
