/**
 * A lane of the native backend: a C++ thread that is handed its files and
 * values in the turn of the call. Files are leased meanwhile, so that their
 * `close` waits.
 */

import { join } from 'node:path'
import { ClosedError } from '../../errors.js'
import type {
  BatchScan,
  FileLook,
  Lane,
  LogFile,
  OffsetIndexFile,
  ScanOptions,
  ScanStop,
  Slice,
  SliceBounds,
  SpareFiles,
  TimeIndexFile,
} from '../contract.js'
import { unpackLooks } from '../file-looks.js'
import { nodeFiles } from '../files.js'
import { LeasedFile } from '../leased-file.js'
import type { Handle, NativeAddon } from './addon.js'
import { type Answers, At } from './answers.js'
import { columnsOf, memoryOfRows } from './columns.js'
import { Completions, type ReadAnswer } from './completions.js'
import { NativeTimeIndex, toInt32 } from './index-file.js'
import { asLog, asOffsetIndex, clampBounds, clampPosition, NativeLogFile } from './log-file.js'
import { NativeSpareFiles } from './spare-files.js'

export class NativeLane implements Lane {
  readonly #addon: NativeAddon
  readonly #answers: Answers
  readonly #completions = new Completions()
  readonly #handle: Handle
  #closing: Promise<void> | undefined

  constructor(addon: NativeAddon, answers: Answers, inBackground: boolean) {
    this.#addon = addon
    this.#answers = answers
    this.#handle = addon.lane_open(this.#completions.completed, inBackground)
  }

  async flush(files: readonly (LogFile | OffsetIndexFile | TimeIndexFile)[]): Promise<void> {
    const opened = files.map(handleOf)
    const handles = () => opened.map((file) => file.value)
    await this.#run(
      opened,
      (id) => this.#addon.lane_flush(this.#handle, id, handles()),
      () => this.#answers.check(opened[this.#answers.number(At.part)]?.path ?? ''),
    )
  }

  async flushPath(path: string): Promise<void> {
    await this.#run(
      [],
      (id) => this.#addon.lane_flush_path(this.#handle, id, path),
      () => this.#answers.check(path),
    )
  }

  async makeSpare(directory: string, capacityBytes: number): Promise<SpareFiles | undefined> {
    return this.#run(
      [],
      (id) => this.#addon.lane_make_spare(this.#handle, id, directory, clampPosition(capacityBytes)),
      (handle) => (handle === undefined ? undefined : new NativeSpareFiles(this.#addon, handle as Handle)),
    )
  }

  async look(directory: string, names: readonly string[]): Promise<(FileLook | undefined)[]> {
    const looks = await this.#run(
      [],
      (id) => this.#addon.lane_look(this.#handle, id, directory, names.join('/')),
      (answer) => {
        if (answer !== undefined) return unpackLooks(new Float64Array(answer as ArrayBuffer))
        if (this.#answers.errno !== 'ENOTSUP')
          this.#answers.check(join(directory, names[this.#answers.number(At.part)] ?? ''))
        return undefined
      },
    )
    return looks ?? Promise.all(names.map((name) => nodeFiles.look(join(directory, name))))
  }

  async slice(log: LogFile, index: OffsetIndexFile, target: number, bounds: SliceBounds): Promise<Slice> {
    const [ourLog, ourIndex] = [asLog(log).handle, asOffsetIndex(index).handle]
    const { fromPosition, endPosition, maxBytes, minOneBatch } = clampBounds(bounds)
    return this.#run(
      [ourLog, ourIndex],
      (id) => {
        const [lane, at] = [this.#handle, toInt32(target)]
        const [first, second] = [ourLog.value, ourIndex.value]
        this.#addon.lane_slice(lane, id, first, second, at, fromPosition, endPosition, maxBytes, minOneBatch)
      },
      (bytes) => {
        this.#answers.check(ourLog.path)
        return { translation: this.#answers.translation(), bytes: bytes as Buffer }
      },
    )
  }

  async read(log: LogFile, position: number, length: number): Promise<Buffer> {
    const ours = asLog(log).handle
    const [from, most] = [clampPosition(position), clampPosition(length)]
    return this.#run(
      [ours],
      (id) => this.#addon.lane_read(this.#handle, id, ours.value, from, most),
      (bytes) => {
        this.#answers.check(ours.path)
        return bytes as Buffer
      },
    )
  }

  async scan(log: LogFile, options: ScanOptions): Promise<BatchScan> {
    const ours = asLog(log).handle
    const [from, end] = [clampPosition(options.fromPosition), clampPosition(options.endPosition)]
    const { checkCrc, untilTimestamp, reuse } = options
    const most = Math.min(options.maxBatches, Number.MAX_SAFE_INTEGER)
    const bytes = Math.max(0, Math.min(end, log.sizeInBytes) - from)
    const rows = memoryOfRows(bytes, untilTimestamp === undefined ? most : Math.min(most, 1), reuse)
    return this.#run(
      [ours],
      (id) =>
        this.#addon.lane_scan(this.#handle, id, ours.value, rows, from, end, most, checkCrc, untilTimestamp),
      () => this.#scanOf(ours.path, rows),
    )
  }

  close(): Promise<void> {
    this.#closing ??= this.#completions.post(
      (id) => this.#addon.lane_close(this.#handle, id),
      () => undefined,
    )
    return this.#closing
  }

  #scanOf(path: string, rows: ArrayBuffer): BatchScan {
    const answers = this.#answers
    answers.check(path)
    const stop = (this.#addon.scanStops[answers.number(At.stop)] ?? 'end') as ScanStop
    const batches = columnsOf(rows, answers.number(At.length))
    const scan = { batches, endPosition: answers.number(At.position), stop }
    if (stop !== 'bad-crc') return scan
    return {
      ...scan,
      crc: { expected: answers.number(At.size) >>> 0, actual: answers.number(At.magic) >>> 0 },
    }
  }

  async #run<T>(files: readonly LeasedFile[], start: (id: number) => void, read: ReadAnswer<T>): Promise<T> {
    if (this.#closing !== undefined) throw new ClosedError('ERR_CLOSED', 'this lane is closed')
    return LeasedFile.lease(files, () => this.#completions.post(start, read))
  }
}

function handleOf(file: LogFile | OffsetIndexFile | TimeIndexFile): LeasedFile {
  if (file instanceof NativeLogFile || file instanceof NativeTimeIndex) return file.handle
  return asOffsetIndex(file).handle
}
