/**
 * What the codecs share in dealing with packages: importing one by name,
 * and turning what it throws into our errors.
 */

import { createRequire } from 'node:module'
import { dirname, sep } from 'node:path'
import { PartitionLogError } from '../../errors.js'
import { badCompression, type CodecName } from '../../format/compression.js'

/**
 * Imports an optional package; CommonJS exports are unwrapped. The name is a
 * value, so that types of a package that may be absent are not asked for.
 */
export async function importPackage(name: string): Promise<unknown> {
  const module = (await import(name)) as { default?: unknown }
  return module.default ?? module
}

/**
 * Loads an own copy of an optional CommonJS package, which nobody else in the
 * process sees. For packages whose state is one for all of their users, and
 * broken when a second user sets them up. What others have loaded stays.
 */
export function requirePrivately(name: string): unknown {
  const require = createRequire(import.meta.url)
  const entry = require.resolve(name)
  const folder = dirname(entry) + sep
  const ofPackage = (): string[] => Object.keys(require.cache).filter((path) => path.startsWith(folder))
  const others = ofPackage().map((path) => [path, require.cache[path]] as const)
  for (const [path] of others) delete require.cache[path]
  try {
    return require(entry)
  } finally {
    for (const path of ofPackage()) delete require.cache[path]
    for (const [path, module] of others) require.cache[path] = module
  }
}

/** Runs library code on bytes that may be damaged. */
export function guarded<Result>(codec: CodecName, run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    throw asOurs(codec, error)
  }
}

/** As `guarded`, for code that awaits. */
export async function guardedAsync<Result>(codec: CodecName, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    throw asOurs(codec, error)
  }
}

function asOurs(codec: CodecName, error: unknown): unknown {
  if (error instanceof PartitionLogError) return error
  return badCompression(codec, error instanceof Error ? error.message : String(error), error)
}

/** `parts` back to back, in memory of their own. */
export function joined(parts: readonly Uint8Array[], sizeInBytes: number): Uint8Array {
  const whole = Buffer.allocUnsafeSlow(sizeInBytes)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
