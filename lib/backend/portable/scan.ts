/**
 * Walks the batches of a log file and answers with their headers as columns,
 * and with where good bytes end and why. It never judges what that means.
 */

import type { BatchPlace, BatchScan, ScanOptions, ScanStop } from '../contract.js'
import { type BatchCrc, crcOf } from './batch-crc.js'
import { HEADER_BYTES, isInOrder, placeOf, shapeFault } from './batch-header.js'
import { ColumnBuilder, maxTimestampOf } from './columns.js'
import { clampPosition } from './file-io.js'
import type { LogView } from './views.js'
import { Window } from './window.js'

const READ_BYTES = 1 << 20
/** Where one batch is looked for it is mostly near. */
const FIRST_READ_BYTES = 16 << 10

// Scans are synchronous and do not nest. New memory costs more than what is read into it, so each thread keeps its own.
let scratch: Buffer | undefined

export function scanBatches(log: LogView, options: ScanOptions): BatchScan {
  const fromPosition = clampPosition(options.fromPosition)
  const end = Math.min(clampPosition(options.endPosition), log.sizeInBytes)
  scratch ??= Buffer.allocUnsafeSlow(READ_BYTES)
  const firstRead = options.untilTimestamp === undefined ? READ_BYTES : FIRST_READ_BYTES
  return new Scan(log, { ...options, fromPosition }, new Window(log, end, scratch, firstRead)).run()
}

class Scan {
  readonly #log: LogView
  readonly #options: ScanOptions
  readonly #window: Window
  readonly #builder: ColumnBuilder
  #position: number
  #read = 0
  #previousLast: bigint | undefined
  #crc: BatchCrc | undefined

  constructor(log: LogView, options: ScanOptions, window: Window) {
    this.#log = log
    this.#options = options
    this.#window = window
    this.#position = options.fromPosition
    this.#builder = new ColumnBuilder(options.maxBatches)
  }

  run(): BatchScan {
    let stop: ScanStop | undefined
    this.#window.lookForCut()
    while (stop === undefined) stop = this.#step()
    const result = { batches: this.#builder.columns(), endPosition: this.#position, stop }
    return stop === 'bad-crc' && this.#crc !== undefined ? { ...result, crc: this.#crc } : result
  }

  /** Reads one batch; why the scan stops, if it does. */
  #step(): ScanStop | undefined {
    const { checkCrc, maxBatches } = this.#options
    const window = this.#window
    if (window.isEnd(this.#position)) return 'end'
    if (this.#read >= maxBatches) return 'limit'
    const at = window.at(this.#position, HEADER_BYTES)
    const fault = shapeFault(window.bytes, at, window.end - this.#position)
    if (fault !== undefined) return fault
    const batch = placeOf(window.bytes, at, this.#position)
    const crcFault = checkCrc ? this.#crcFault(batch) : undefined
    if (crcFault !== undefined) return crcFault
    if (!isInOrder(batch, this.#log.baseOffset, this.#previousLast)) return 'offset-order'
    return this.#take(batch)
  }

  #crcFault(batch: BatchPlace): ScanStop | undefined {
    this.#crc = crcOf(this.#window, batch)
    if (this.#crc === undefined) return 'torn-batch'
    return this.#crc.expected === this.#crc.actual ? undefined : 'bad-crc'
  }

  #take(batch: BatchPlace): ScanStop | undefined {
    const { untilTimestamp } = this.#options
    const window = this.#window
    const at = window.at(batch.position, HEADER_BYTES)
    // Cut while its checksum was computed: the header is gone from the file.
    if (window.end < batch.position + batch.sizeInBytes) return 'torn-batch'
    this.#read++
    this.#previousLast = batch.lastOffset
    this.#position += batch.sizeInBytes
    if (untilTimestamp !== undefined && maxTimestampOf(batch, window.bytes, at) < untilTimestamp)
      return undefined
    this.#builder.add(batch, window.bytes, at)
    return untilTimestamp === undefined ? undefined : 'limit'
  }
}
