/** What of a directory this process holds open, by the kernel's own account (Linux). */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export const canSeeDescriptors = process.platform === 'linux'

/** Paths of descriptors and mappings below `directory`, one entry for each; also of files that are gone. */
export function openBelow(directory: string): string[] {
  const targets = readdirSync('/proc/self/fd').map(targetOf)
  const mapped = readFileSync('/proc/self/maps', 'utf8')
    .split('\n')
    .map((line) => line.slice(line.indexOf('/')))
  return [...targets, ...mapped].filter((path) => path.startsWith(`${directory}/`)).sort()
}

/** Descriptors alone. */
export function descriptorsBelow(directory: string): string[] {
  return readdirSync('/proc/self/fd')
    .map(targetOf)
    .filter((path) => path.startsWith(`${directory}/`))
}

/** The descriptor that lists them is gone when it is asked for. */
function targetOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return ''
  }
}
