/** What a prebuilt binary may need of the system: versions are compared as numbers. */
import { expect, test } from 'vitest'
import { needsOf, newerThan } from '../../scripts/lib/elf.mjs'

const OBJDUMP = `
Dynamic Section:
  NEEDED               libc.so.6
  NEEDED               libstdc++.so.6
Version References:
  required from libc.so.6:
    0x069691b4 0x00 07 GLIBC_2.34
    0x06969194 0x00 04 GLIBC_2.14
    0x0d696912 0x00 03 GLIBC_2.2.5
  required from libstdc++.so.6:
    0x0297f871 0x00 05 GLIBCXX_3.4.29
`

test('reads libraries and versions, oldest first', () => {
  expect(needsOf(OBJDUMP)).toEqual({
    libraries: ['libc.so.6', 'libstdc++.so.6'],
    versions: ['GLIBC_2.2.5', 'GLIBC_2.14', 'GLIBC_2.34', 'GLIBCXX_3.4.29'],
  })
})

test('finds the versions above a limit, in one family', () => {
  const { versions } = needsOf(OBJDUMP)
  expect(newerThan(versions, 'GLIBC', '2.28')).toEqual(['GLIBC_2.34'])
  expect(newerThan(versions, 'GLIBC', '2.34')).toEqual([])
  expect(newerThan(['GLIBC_2.4'], 'GLIBC', '2.28')).toEqual([])
})
