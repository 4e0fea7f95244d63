/**
 * Records without a log: `encodeBatch` with its checksum, and the records of
 * batches in memory, lazily with nothing touched, by a cursor, and each as an
 * object whose fields are all read.
 */
import { encodeBatch, recordBatches } from '../../dist/index.js'
import { TIMESTAMP } from '../data/shapes.mjs'
import { Absent } from './absent.mjs'
import { loop } from './loop.mjs'

export const work = {
  encode: (context) => perRecord(context, (records) => () => encodeBatch(records)),
  'iterate-lazy': (context) => perRecord(context, lazily),
  'iterate-cursor': (context) => perRecord(context, byCursor),
  'iterate-eager': (context) => perRecord(context, eagerly),
}

/** One call is a batch; what counts is a record. */
function perRecord({ backend, options }, begin) {
  // `encodeBatch` has no log to take its backend from.
  process.env.PARTITION_LOG_BACKEND = backend
  const value = Buffer.alloc(100, 'v')
  const records = Array.from({ length: options.records }, (_, n) => ({
    key: null,
    value,
    timestamp: TIMESTAMP + n,
  }))
  const { round, close } = loop(options, begin(records))
  const oneRecord = ({ value: ns, operations, extra: { cpuNs } }) => ({
    value: ns / records.length,
    operations: operations * records.length,
    extra: { cpuNs: cpuNs / records.length },
  })
  return { round: () => oneRecord(round()), close }
}

function lazily(records) {
  const bytes = encodeBatch(records)
  return () => {
    let count = 0
    for (const batch of recordBatches(bytes)) for (const _record of batch.records()) count++
    check(count, records.length)
  }
}

/** A cursor's fields are the record that it stands on. */
function byCursor(records) {
  const bytes = encodeBatch(records)
  const [first] = recordBatches(bytes)
  if (typeof first.cursor !== 'function') throw new Absent('batches have no cursor')
  return () => {
    let last = 0
    for (const batch of recordBatches(bytes)) {
      const cursor = batch.cursor()
      while (cursor.next()) last = cursor.offset
    }
    check(Number(last), records.length - 1)
  }
}

function eagerly(records) {
  const bytes = encodeBatch(records)
  return () => {
    let length = 0
    for (const batch of recordBatches(bytes)) {
      for (const { offset, timestamp, key, value } of batch.records()) {
        if (offset >= 0n && timestamp > 0n && key === null) length += value.length
      }
    }
    check(length, records.length * 100)
  }
}

function check(actual, expected) {
  if (actual !== expected) throw new Error(`${actual} instead of ${expected}`)
}
