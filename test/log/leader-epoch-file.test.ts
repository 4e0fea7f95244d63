/** Leader epochs: what the file says is kept, also of epochs that have no records. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { message } from '../support/legacy-bytes.js'
import { numbered } from '../support/log.js'
import { copyOf, killedLog, openSwiftly, setMarker, setRecoveryPoint } from '../support/unclean-log.js'

const fileOf = (path: string) => join(path, 'leader-epoch-checkpoint')
const epochsOf = (log: PartitionLog) =>
  log.leaderEpochs.map(({ epoch, startOffset }) => [epoch, Number(startOffset)])

describe.each(['clean', 'unclean'])('after a stop that was %s', (stop) => {
  async function stopped(fill: (log: PartitionLog) => void): Promise<string> {
    const path = await killedLog(fill)
    if (stop === 'clean') await (await openSwiftly(path)).close()
    setMarker(path, stop === 'clean')
    if (stop === 'unclean') setRecoveryPoint(path, 0)
    return path
  }

  test('known fault 62: an epoch without records is kept, also in a copy of the directory', async () => {
    const path = await stopped((log) => {
      log.append(numbered(2), { leaderEpoch: 0 })
      log.append(numbered(2, 2), { leaderEpoch: 3 })
    })
    // Epoch 1 had no records, and 5 has none yet.
    writeFileSync(fileOf(path), '0\n4\n0 0\n1 1\n3 2\n5 4\n')
    for (const directory of [path, copyOf(path)]) {
      const log = await openSwiftly(directory)
      expect(epochsOf(log)).toEqual([
        [0, 0],
        [1, 1],
        [3, 2],
        [5, 4],
      ])
      log.append(numbered(1, 4))
      await log.close()
      expect(readFileSync(fileOf(directory), 'utf8')).toBe('0\n4\n0 0\n1 1\n3 2\n5 4\n')
    }
  })

  test('known fault 61: one that begins behind the end goes', async () => {
    const path = await stopped((log) => void log.append(numbered(2), { leaderEpoch: 1 }))
    writeFileSync(fileOf(path), '0\n2\n1 0\n2 10\n')
    const log = await openSwiftly(path)
    expect(epochsOf(log)).toEqual([[1, 0]])
    await log.close()
    expect(readFileSync(fileOf(path), 'utf8')).toBe('0\n1\n1 0\n')
  })

  test('known fault 62a: beside messages that carry none they stay, as in a 4.x broker, until more such come', async () => {
    const old = (offset: bigint) => message({ magic: 1, offset, value: Buffer.from('old') })
    const path = await stopped((log) => void log.appendBatches(old(0n), { origin: 'follower' }))
    writeFileSync(fileOf(path), '0\n1\n1 0\n')
    const log = await openSwiftly(path)
    expect(epochsOf(log)).toEqual([[1, 0]])
    log.appendBatches(old(1n), { origin: 'follower' })
    expect(epochsOf(log)).toEqual([])
    await log.close()
    expect(readFileSync(fileOf(path), 'utf8')).toBe('0\n0\n')
  })
})
