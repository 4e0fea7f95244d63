/** One byte of a `.log` changed, so that it must be seen. */
import { readFileSync, writeFileSync } from 'node:fs'
import { openLog } from '../../../lib/manager/open-log.js'
import { resealed } from '../../support/batches.js'

/** Behind the value's last byte comes only the number of headers. */
const FROM_END = 2

/**
 * Changes the last byte of the value of the record at `offset`, which is the last of a batch that is not compressed and
 * has no headers. With `reseal` the batch has the right checksum again.
 */
export async function changeByte(path: string, offset: bigint, reseal: boolean): Promise<void> {
  const log = await openLog(path, { readOnly: true })
  const { batch, path: file } = log.locate(offset)
  await log.close()
  if (batch === null) throw new Error(`no batch at ${offset}`)
  const bytes = readFileSync(file)
  const whole = bytes.subarray(batch.position, batch.position + batch.sizeInBytes)
  whole.writeUInt8(whole.readUInt8(whole.length - FROM_END) ^ 1, whole.length - FROM_END)
  if (reseal) resealed(whole)
  writeFileSync(file, bytes)
}

/** Leaves the first half of one more batch at the end of the log, as a write that was cut short does. */
export async function tearEnd(path: string): Promise<void> {
  const log = await openLog(path, { readOnly: true })
  const { logEndOffset } = log.offsets
  const { batch, path: file } = log.locate(logEndOffset - 1n)
  await log.close()
  if (batch === null) throw new Error(`${path} is empty`)
  const bytes = readFileSync(file)
  const next = Buffer.from(bytes.subarray(batch.position, batch.position + batch.sizeInBytes))
  next.writeBigInt64BE(logEndOffset)
  writeFileSync(file, Buffer.concat([bytes, next.subarray(0, next.length / 2)]))
}
