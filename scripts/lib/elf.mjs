/**
 * What an ELF library needs of the system it is loaded on, by objdump's account.
 */
import { capture, Failure } from './run.mjs'

/** @returns {{libraries: string[], versions: string[]}} needed libraries, and symbol versions such as `GLIBC_2.14` */
export function inspect(file) {
  const text = capture('objdump', ['-p', file])
  if (text === null) throw new Failure('objdump (of binutils) is needed to look into the binary')
  return needsOf(text)
}

/** The same from the text that `objdump -p` prints. */
export function needsOf(text) {
  const libraries = [...text.matchAll(/^\s*NEEDED\s+(\S+)/gm)].map((match) => match[1])
  const versions = new Set(
    [...text.matchAll(/\b(?:GLIBC|GLIBCXX|CXXABI|GCC)_[\d.]+/g)].map((match) => match[0]),
  )
  return { libraries, versions: [...versions].sort(byVersion) }
}

/** @returns {string[]} the versions of one family (`GLIBC`) above a limit (`2.28`) */
export function newerThan(versions, family, limit) {
  return versions.filter(
    (version) => version.startsWith(`${family}_`) && byVersion(version, `${family}_${limit}`) > 0,
  )
}

/** By family, then number by number: 2.4 is older than 2.28. */
function byVersion(a, b) {
  return a.localeCompare(b, 'en', { numeric: true })
}
