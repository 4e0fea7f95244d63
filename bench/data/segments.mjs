/**
 * Logs of one large segment, as this package writes them: `log-*` has it as
 * the active one, `sealed-*` has sealed it. Each is a home of the log
 * `bench-0` that was closed cleanly.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openLog } from '../../dist/index.js'
import { BatchSource, SHAPES } from './shapes.mjs'

const MIB = 2 ** 20
const ACTIVE_BYTES = { full: 256 * MIB, short: 64 * MIB, smoke: MIB }
/** Less than 1 GiB by the room that the last batch needs. */
const SEALED_BYTES = { full: 1024 * MIB - 8192, short: 256 * MIB, smoke: MIB }

export const data = {
  'log-300': (path, size) => makeLog(path, SHAPES[300], ACTIVE_BYTES[size]),
  'log-4k': (path, size) => makeLog(path, SHAPES['4k'], ACTIVE_BYTES[size]),
  'sealed-300': (path, size) => makeSealed(path, SHAPES[300], SEALED_BYTES[size]),
  'sealed-4k': (path, size) => makeSealed(path, SHAPES['4k'], SEALED_BYTES[size]),
}

async function makeLog(path, shape, bytes) {
  const log = await openHome(path)
  fill(log, new BatchSource(shape), bytes / shape.batchBytes)
  await log.close()
}

async function makeSealed(path, shape, bytes) {
  const log = await openHome(path)
  const source = new BatchSource(shape)
  fill(log, source, bytes / shape.batchBytes)
  log.roll()
  fill(log, source, 1)
  await log.close()
}

function openHome(path) {
  mkdirSync(path)
  return openLog(join(path, 'bench-0'), { config: { retentionMs: -1 } })
}

function fill(log, source, batches) {
  for (let n = 0; n < Math.floor(batches); n++) log.append(source.next())
}
