/**
 * Our side of rows/key-map.mjs: rows come chunk by chunk, as in a cleaning;
 * making and parsing them is not timed. Keys, order and timed parts are those
 * of Kafka's side, KeyMapRow.java.
 */
import { loadBackend } from '../../dist/backend/load.js'
import { encodeBatch } from '../../dist/index.js'
import { writeKey } from './keys.mjs'

const KEY_BYTES = 16
const VALUE_BYTES = 100
const BATCHES_A_CHUNK = 16
const RECORDS_A_BATCH = 130
const KEYS_A_CHUNK = BATCHES_A_CHUNK * RECORDS_A_BATCH
const STRIDE = 2_654_437
const RECORDS_AT = 61

export const work = {
  'key-map-put': (context) => filling(context, 'putMs'),
  'key-map-get': (context) => filling(context, 'getMs'),
}

function filling({ backend, options }, timed) {
  const kernel = loadBackend(backend).backend.records
  const chunk = parsedChunk(kernel)
  const fill = (keys) => measure(kernel, chunk, keys, options.mapBytes)
  for (const keys of options.warmUpKeys) fill(keys)
  const round = () => ({ value: (fill(options.keys)[timed] * 1e6) / options.keys, operations: options.keys })
  return { round, close() {} }
}

/** Records with room for keys, and their rows. */
function parsedChunk(kernel) {
  const record = { key: Buffer.alloc(KEY_BYTES), value: Buffer.alloc(VALUE_BYTES) }
  const batch = encodeBatch(Array(RECORDS_A_BATCH).fill(record))
  const bytes = Buffer.concat(Array(BATCHES_A_CHUNK).fill(batch))
  const columns = kernel.columns(KEYS_A_CHUNK)
  for (let n = 0; n < BATCHES_A_CHUNK; n++) {
    const [start, end] = [n * batch.length + RECORDS_AT, (n + 1) * batch.length]
    kernel.parse({ bytes, start, end, count: RECORDS_A_BATCH, baseOffset: 0n }, columns, n * RECORDS_A_BATCH)
  }
  return { bytes, columns }
}

function measure(kernel, chunk, keys, memoryBytes) {
  const map = kernel.openOffsetMap({ memoryBytes, hash: 'md5' })
  const putMs = overChunks(keys, (from, count) => put(map, chunk, from, count))
  const getMs = overChunks(keys, (from, count) => get(map, chunk, { from, count, keys }))
  if (map.size !== keys) throw new Error(`${map.size} of ${keys} keys are in the map`)
  map.close()
  return { putMs, getMs }
}

function overChunks(keys, timed) {
  let ms = 0
  for (let from = 0; from < keys; from += KEYS_A_CHUNK) ms += timed(from, Math.min(KEYS_A_CHUNK, keys - from))
  return ms
}

function put(map, chunk, from, count) {
  const { bytes, columns } = chunk
  for (let row = 0; row < count; row++) setRow(chunk, row, from + row, from + row)
  const start = performance.now()
  map.put(bytes, columns, { from: 0, count }, 0n, map.slots - 1)
  return performance.now() - start
}

function get(map, chunk, { from, count, keys }) {
  const { bytes, columns } = chunk
  // Of a lower offset than any key has in the map: every one that is found is superseded.
  for (let row = 0; row < count; row++) setRow(chunk, row, ((from + row) * STRIDE) % keys, -1)
  const start = performance.now()
  map.markSuperseded(bytes, columns, { from: 0, count })
  const ms = performance.now() - start
  if (columns.superseded.subarray(0, count).includes(0)) throw new Error('a key is missing')
  return ms
}

function setRow(chunk, row, key, offset) {
  writeKey(chunk.bytes, chunk.columns.keyPositions[row], key)
  chunk.columns.offsets[row] = BigInt(offset)
}
