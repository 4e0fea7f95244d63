/** Answers about many files as numbers, three a file: what crosses threads cheaply. */

import type { FileLook } from './contract.js'

const FIELDS = 3
const MISSING = -1

export function packLooks(looks: readonly (FileLook | undefined)[]): Float64Array {
  const packed = new Float64Array(looks.length * FIELDS)
  looks.forEach((look, n) => {
    packed.set([look?.sizeInBytes ?? MISSING, look?.modifiedMs ?? 0, look?.identity ?? 0], n * FIELDS)
  })
  return packed
}

export function unpackLooks(packed: Float64Array): (FileLook | undefined)[] {
  const looks: (FileLook | undefined)[] = []
  for (let at = 0; at < packed.length; at += FIELDS) {
    const sizeInBytes = packed[at] as number
    const [modifiedMs, identity] = [packed[at + 1] as number, packed[at + 2] as number]
    looks.push(sizeInBytes < 0 ? undefined : { sizeInBytes, modifiedMs, identity })
  }
  return looks
}
