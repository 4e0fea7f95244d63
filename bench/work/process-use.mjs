/** What this process holds and has done, by the kernel's own account (Linux); null elsewhere. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** The most that was resident since the start, or since `resetPeak`. */
export const peakKib = () => statusKib('VmHWM')
export const residentKib = () => statusKib('VmRSS')

/** Begins a new peak; false where the kernel cannot. */
export function resetPeak() {
  try {
    writeFileSync('/proc/self/clear_refs', '5')
    return true
  } catch {
    return false
  }
}

/** System calls that read and that wrote since the start: `{ readCalls, writeCalls }`. */
export function calls() {
  const text = read('/proc/self/io')
  if (text === null) return null
  const of = (name) => Number(new RegExp(`${name}: (\\d+)`).exec(text)[1])
  return { readCalls: of('syscr'), writeCalls: of('syscw') }
}

/** Open descriptors of the whole process. */
export function descriptors() {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : null
}

/** Mappings of index files. */
export function indexMaps() {
  const lines = read('/proc/self/maps')?.split('\n')
  return lines?.filter((line) => /\.(time)?index$/.test(line)).length ?? null
}

function statusKib(name) {
  const text = read('/proc/self/status')
  return text === null ? null : Number(new RegExp(`${name}:\\s*(\\d+)`).exec(text)[1])
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
