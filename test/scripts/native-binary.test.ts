/** Finding out which sources a binary was built from, without loading it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { embeddedHash } from '../../scripts/lib/native-binary.mjs'
import { tempDir } from '../support/temp-dir.js'

test('reads the hash between bytes of any kind', () => {
  const file = join(tempDir(), 'addon.node')
  const mark = Buffer.from('PARTITION_LOG_SOURCE_HASH=0123456789abcdef')
  writeFileSync(file, Buffer.concat([Buffer.of(0xff, 0x00, 0x80), mark, Buffer.of(0x00, 0x61)]))
  expect(embeddedHash(file)).toBe('0123456789abcdef')
})

test('a file without the mark, and no file at all, have no hash', () => {
  const file = join(tempDir(), 'addon.node')
  writeFileSync(file, 'PARTITION_LOG_SOURCE_HASH=')
  expect(embeddedHash(file)).toBeNull()
  expect(embeddedHash(`${file}.gone`)).toBeNull()
  expect(embeddedHash(null)).toBeNull()
})
