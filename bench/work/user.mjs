/** The work of rows/user.mjs: how this package, the floor and other stores are used in each. */
import { appending } from './user/appending.mjs'
import { durable } from './user/durable.mjs'
import { randomReads, scans } from './user/reading.mjs'

const SIZES = [100, 1_024]

const works = (bytes) => ({
  [`user-append-one-${bytes}`]: (context) => appending(context, bytes, one('appendEach')),
  [`user-append-one-${bytes}-appender`]: (context) => appending(context, bytes, one('sendAll')),
  [`user-append-100-${bytes}`]: (context) => appending(context, bytes, together),
  [`user-durable-64-${bytes}`]: (context) => durable(context, bytes, 'sendDurably'),
  [`user-durable-64-${bytes}-append`]: (context) => durable(context, bytes, 'appendDurably'),
  [`user-scan-${bytes}`]: (context) => scans(context, bytes, 'readAll'),
  [`user-scan-${bytes}-each`]: (context) => scans(context, bytes, 'readEach'),
  [`user-random-${bytes}`]: (context) => randomReads(context, bytes),
})

export const work = Object.assign({}, ...SIZES.map(works))

/** A hundred single appends; an operation is a record. */
function one(method) {
  return { append: (store, records) => store[method](records), single: method === 'appendEach' }
}

const together = { append: (store, records) => store.appendTogether(records), single: false }
