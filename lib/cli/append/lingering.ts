/**
 * Records through the log's appender, which gathers them by time. A bounded
 * number of bytes is under way at once.
 */

import type { CodecName, PartitionLog, RecordInput } from '../../index.js'
import type { BatchTimes } from '../arguments.js'
import { type Appended, stamp } from './batches.js'
import { sizeOf } from './record-size.js'

export interface LingerOptions {
  readonly lingerMs: number
  readonly compression?: CodecName
  readonly timestamp?: BatchTimes
  readonly durable?: boolean
}

/** Of records sent and not yet appended, above which no more input is read. */
const MAX_PENDING_BYTES = 16 * 1024 * 1024

/** Appends all `records`. The first failure ends it; records sent after that one are not appended. */
export async function appendLingering(
  log: PartitionLog,
  records: AsyncIterable<RecordInput[]>,
  { lingerMs, compression, timestamp, durable }: LingerOptions,
  appended: Appended,
): Promise<void> {
  appended.batches = null
  const appender = log.appender({
    lingerMs,
    ...(compression === undefined ? {} : { compression }),
    ...(durable === undefined ? {} : { durable }),
  })
  const sends = new Sends(appended)
  try {
    for await (const some of records) {
      const stamped = timestamp === undefined ? some : stamp(some, timestamp.firstMs)
      for (const record of stamped) sends.add(appender.send(record), sizeOf(record))
      if (sends.pendingBytes > MAX_PENDING_BYTES) await appender.flush()
      sends.throwIfFailed()
    }
  } finally {
    await appender.close()
  }
  await sends.settled()
  sends.throwIfFailed()
}

/** Counts sends as they are appended, and keeps the first failure. */
class Sends {
  pendingBytes = 0
  readonly #appended: Appended
  #failure: { readonly error: unknown } | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(appended: Appended) {
    this.#appended = appended
  }

  add(sent: Promise<{ offset: bigint }>, sizeInBytes: number): void {
    this.pendingBytes += sizeInBytes
    this.#last = sent.then(
      ({ offset }) => {
        this.pendingBytes -= sizeInBytes
        this.#appended.records++
        this.#appended.baseOffset ??= offset
        this.#appended.lastOffset = offset
      },
      (error: unknown) => {
        this.pendingBytes -= sizeInBytes
        this.#failure ??= { error }
      },
    )
  }

  /** Sends settle in their order, so the last one's end is everyone's. */
  settled(): Promise<void> {
    return this.#last
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }
}
