/** What this process holds, by the kernel's own account (Linux); null elsewhere. */
import { readFileSync, writeFileSync } from 'node:fs'

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

function statusKib(name) {
  if (process.platform !== 'linux') return null
  return Number(new RegExp(`${name}:\\s*(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))[1])
}
