/**
 * Finds the addon's binaries and the one that may be used: made from this
 * package's own native sources, loadable, and proven to mean the same bytes.
 * Answers with reasons for what was passed over; warns of nothing itself.
 */

import fs from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import type { NativeAddon } from './addon.js'
import { isCutShort } from './elf.js'
import { layoutFingerprint } from './fingerprint.js'

export type AddonSearch =
  | { readonly addon: NativeAddon; readonly file: string }
  | { readonly addon: undefined; readonly failures: readonly AddonFailure[] }

export interface AddonFailure {
  readonly reason: string
  /** The binary should have worked: its user ought to hear of it. */
  readonly isBroken: boolean
}

const MARKER = /PARTITION_LOG_SOURCE_HASH=([0-9a-f]{64})/
const PROOF_TEXT = '123456789'
const PROOF_CRC = 0xe3069283

const require = createRequire(import.meta.url)

/** The first binary of the package at `root` that can be trusted, or why there is none. */
export function findAddon(root: string): AddonSearch {
  const expected = sourceHash(root)
  const failures: AddonFailure[] = []
  for (const file of candidates(root)) {
    const name = relative(root, file)
    // Looked at before it is loaded: a binary of another time, or half of one, can end the process.
    const bytes = fs.readFileSync(file)
    const embedded = MARKER.exec(bytes.toString('latin1'))?.[1]
    if (isCutShort(bytes)) {
      failures.push({ reason: `${name} is cut short`, isBroken: true })
      continue
    }
    if (expected !== undefined && embedded !== expected) {
      failures.push({ reason: `${name} was made from other sources than those in native/`, isBroken: false })
      continue
    }
    try {
      return { addon: prove(require(file) as NativeAddon, embedded), file: name }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      failures.push({ reason: `${name} does not load: ${why}`, isBroken: true })
    }
  }
  if (failures.length > 0) return { addon: undefined, failures }
  const reason = `there is no binary for ${process.platform}-${process.arch}`
  return { addon: undefined, failures: [{ reason, isBroken: false }] }
}

/** In the order of node-gyp-build: what was compiled here first, then what was shipped. */
function candidates(root: string): string[] {
  const folder = process.env.PARTITION_LOG_PREBUILD || root
  const built = process.env.PREBUILDS_ONLY ? [] : ['build/Release', 'build/Debug']
  return [...built.flatMap((name) => addonsIn(join(folder, name))), ...prebuilt(join(folder, 'prebuilds'))]
}

function addonsIn(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => name.endsWith('.node'))
    .sort()
    .map((name) => join(folder, name))
}

interface Tags {
  readonly file: string
}

interface Tuple {
  readonly name: string
}

/** What node-gyp-build exports to tell which prebuilt file fits this process. */
interface NodeGypBuild {
  parseTuple(name: string): Tuple | undefined
  matchTuple(platform: string, arch: string): (tuple: Tuple | undefined) => boolean
  compareTuples(a: Tuple, b: Tuple): number
  parseTags(file: string): Tags | undefined
  matchTags(runtime: string, abi: string): (tags: Tags | undefined) => boolean
  compareTags(runtime: string): (a: Tags, b: Tags) => number
}

function prebuilt(folder: string): string[] {
  const tuples = namesIn(folder)
  if (tuples.length === 0) return []
  const gyp = require('node-gyp-build') as NodeGypBuild
  const runtime = process.versions.electron === undefined ? 'node' : 'electron'
  return present(tuples.map((name) => gyp.parseTuple(name)))
    .filter(gyp.matchTuple(process.platform, process.arch))
    .sort(gyp.compareTuples)
    .flatMap(({ name }) =>
      present(namesIn(join(folder, name)).map((file) => gyp.parseTags(file)))
        .filter(gyp.matchTags(runtime, process.versions.modules))
        .sort(gyp.compareTags(runtime))
        .map(({ file }) => join(folder, name, file)),
    )
}

function present<T>(values: readonly (T | undefined)[]): T[] {
  return values.filter((value) => value !== undefined)
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder)
  } catch {
    // Not there, or not for us to read: either way nothing can be loaded from it.
    return []
  }
}

/** Undefined where the package was installed without its native sources: then there is nothing to compare. */
function sourceHash(root: string): string | undefined {
  const script = join(root, 'scripts/native-hash.cjs')
  if (!fs.existsSync(script)) return undefined
  return (require(script) as { nativeHash(root: string): string | undefined }).nativeHash(root)
}

/** Throws unless the addon means the same bytes, and is the one that its file says (`embedded`). */
export function prove(addon: NativeAddon, embedded: string | undefined): NativeAddon {
  if (addon.sourceHash !== embedded) throw new Error('its source hash is not the one in its file')
  if (addon.layoutFingerprint !== layoutFingerprint()) throw new Error('its layout of batches is another')
  const crc = addon.crc32c(Buffer.from(PROOF_TEXT), 0, PROOF_TEXT.length)
  if (crc !== PROOF_CRC) throw new Error(`its CRC-32C is wrong: 0x${crc.toString(16)}`)
  return addon
}
