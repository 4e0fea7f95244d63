/** Reads of what was just appended go to where it is remembered to lie: they see what any other read sees. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RECORDS_AT } from '../../lib/format/layout.js'
import { PartitionLog } from '../../lib/log/partition-log.js'
import { testLog } from '../support/log.js'
import { fcOptions } from '../support/random.js'

const BATCHES = 30
const SIZES = [0, 1, 100, 250, 1 << 20]
const SEGMENT = '00000000000000000000.log'

async function filled(): Promise<PartitionLog> {
  const log = await testLog()
  for (let n = 0; n < BATCHES; n++)
    log.append(Array.from({ length: (n % 3) + 1 }, (_, m) => ({ value: `value ${n} ${m}` })))
  return log
}

/** Bytes and place, or the error's name. */
function outcome(log: PartitionLog, offset: bigint, maxBytes: number) {
  try {
    const { batches, nextOffset, source } = log.fetchSync(offset, { maxBytes })
    return { batches: batches.toString('hex'), nextOffset, position: source?.position }
  } catch (error) {
    return (error as { code: string }).code
  }
}

/** From now on the log has to look into its files. */
function forget(log: PartitionLog): void {
  PartitionLog.coreOf(log).state.segments[0]?.recent.forget()
}

describe('a read of what was just appended', () => {
  test('gives what the files give, for every offset and size', async () => {
    const log = await filled()
    const outcomes = () => {
      const offsets = Array.from({ length: Number(log.offsets.logEndOffset) + 2 }, (_, n) => BigInt(n))
      return offsets.flatMap((offset) => SIZES.map((size) => outcome(log, offset, size)))
    }
    const remembered = outcomes()
    forget(log)
    expect(remembered).toEqual(outcomes())
  })

  test('is not led past damage by what was remembered', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(BATCHES - 1), fc.nat(RECORDS_AT - 1), fc.nat(255), async (n, at, byte) => {
        const log = await filled()
        const path = join(log.path, SEGMENT)
        const { position, baseOffset } = placeOf(readFileSync(path), n)
        write(path, Buffer.of(byte), position + at)
        const remembered = outcome(log, baseOffset, 1)
        forget(log)
        expect(remembered).toEqual(outcome(log, baseOffset, 1))
        await log.close().catch(() => undefined)
      }),
      fcOptions(60),
    )
  })
})

function placeOf(bytes: Buffer, n: number) {
  let position = 0
  for (let before = 0; before < n; before++) position += 12 + bytes.readInt32BE(position + 8)
  return { position, baseOffset: bytes.readBigInt64BE(position) }
}

function write(path: string, bytes: Buffer, position: number): void {
  const file = openSync(path, 'r+')
  writeSync(file, bytes, 0, bytes.length, position)
  closeSync(file)
}
