/** That the comparison of these tests sees what is different. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fcOptions } from '../../support/random.js'
import { tempDir } from '../../support/temp-dir.js'
import { differences } from './support/compare.js'
import type { Dump } from './support/dump.js'
import { golden } from './support/golden.js'
import { KafkaDump, ourDump } from './support/tools.js'

const kafka = new KafkaDump()
afterAll(() => kafka.close())

const broker = join(golden, 'broker-4.4.0')
const FILES = [
  join(broker, 'compacted-0/00000000000000000000.log'),
  join(broker, 'segments-0/00000000000000000099.timeindex'),
  join(golden, 'damaged/crc-0/00000000000000000099.log'),
  join(golden, 'damaged/index-offset-0/00000000000000000099.index'),
  join(golden, 'damaged/zeros-0/00000000000000000099.log'),
]

describe.each(FILES)('%s', (path) => {
  const args = ['--files', path, '--print-data-log']
  let theirs: Dump
  let ours: Dump

  beforeAll(async () => {
    theirs = await kafka.dump(args)
    ours = await ourDump(args, 'portable')
  })

  it('a character that is another, or too many, or missing', () => {
    expect(differences(path, theirs, ours)).toEqual([])
    const at = fc.nat({ max: theirs.stdout.length - 1 })
    fc.assert(
      fc.property(at, fc.integer({ min: 1, max: 255 }), (position, change) => {
        const [before, behind] = [ours.stdout.subarray(0, position), ours.stdout.subarray(position + 1)]
        const other = Buffer.from([(ours.stdout[position] as number) ^ change])
        const same = ours.stdout.subarray(position, position + 1)
        for (const stdout of [
          Buffer.concat([before, other, behind]),
          Buffer.concat([before, same, other, behind]),
          Buffer.concat([before, behind]),
        ])
          if (!stdout.equals(ours.stdout))
            expect(differences(path, theirs, { ...ours, stdout })).not.toEqual([])
      }),
      fcOptions(100),
    )
  })

  it('a finding that is missing, and another exit code', () => {
    if (theirs.exitCode === 0 && theirs.stderr !== '')
      expect(differences(path, theirs, { ...ours, stderr: '' })).not.toEqual([])
    for (const exitCode of [0, 1, 2, 3])
      if (exitCode !== ours.exitCode) expect(differences(path, theirs, { ...ours, exitCode })).not.toEqual([])
  })
})

it.each(['index', 'timeindex'])('an entry of an .%s that is another', async (kind) => {
  const source = join(broker, `segments-0/00000000000000000099.${kind}`)
  const path = join(tempDir(), 'segments-0', basename(source))
  cpSync(dirname(source), dirname(path), { recursive: true })
  const theirs = await kafka.dump(['--files', path])
  const bytes = readFileSync(source)
  const at = bytes.length - 1 - (kind === 'index' ? 8 : 12) * 3
  bytes[at] = (bytes[at] as number) ^ 1
  writeFileSync(path, bytes)
  expect(differences(path, theirs, await ourDump([path], 'native'))).not.toEqual([])
})
