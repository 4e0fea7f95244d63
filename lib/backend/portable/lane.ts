/**
 * A lane of the portable backend: takes the files' views and leases in the
 * turn of the call, leaves the rest to its thread.
 */

import { ClosedError, wrongType } from '../../errors.js'
import type {
  BatchScan,
  FileLook,
  Lane,
  LogFile,
  OffsetIndexFile,
  ScanOptions,
  Slice,
  SliceBounds,
  TimeIndexFile,
} from '../contract.js'
import { unpackLooks } from '../file-looks.js'
import { LeasedFile } from '../leased-file.js'
import { PortableIndexFile } from './index-file.js'
import type { LaneAnswer, LaneOperation } from './lane-operation.js'
import { LaneThread } from './lane-thread.js'
import { PortableLogFile } from './log-file.js'

export class PortableLane implements Lane {
  readonly #thread = new LaneThread()
  #closing: Promise<void> | undefined

  async flush(files: readonly (LogFile | OffsetIndexFile | TimeIndexFile)[]): Promise<void> {
    const opened = files.map((file) => fileOf(file))
    await this.#run(opened, () => ({
      kind: 'flush',
      files: opened.map(({ value: fd, path }) => ({ fd, path })),
    }))
  }

  async flushPath(path: string): Promise<void> {
    await this.#run([], () => ({ kind: 'flushPath', path }))
  }

  /** Node cannot give a file its name later. */
  async makeSpare(): Promise<undefined> {}

  async look(directory: string, names: readonly string[]): Promise<(FileLook | undefined)[]> {
    return unpackLooks((await this.#run([], () => ({ kind: 'look', directory, names }))) as Float64Array)
  }

  async slice(log: LogFile, index: OffsetIndexFile, target: number, bounds: SliceBounds): Promise<Slice> {
    const [ourLog, ourIndex] = [asLog(log), asIndex(index)]
    const answer = await this.#run([ourLog.file, ourIndex.file], () => {
      return { kind: 'slice', log: ourLog.view(), index: ourIndex.view(), target, bounds }
    })
    return answer as Slice
  }

  async read(log: LogFile, position: number, length: number): Promise<Buffer> {
    const ours = asLog(log)
    return (await this.#run([ours.file], () => ({
      kind: 'read',
      log: ours.view(),
      position,
      length,
    }))) as Buffer
  }

  async scan(log: LogFile, { reuse: _, ...options }: ScanOptions): Promise<BatchScan> {
    const ours = asLog(log)
    return (await this.#run([ours.file], () => ({ kind: 'scan', log: ours.view(), options }))) as BatchScan
  }

  close(): Promise<void> {
    this.#closing ??= this.#thread.end()
    return this.#closing
  }

  /** Runs what `operation` gives, with `files` kept open until it has ended. */
  async #run(files: readonly LeasedFile[], operation: () => LaneOperation): Promise<LaneAnswer> {
    if (this.#closing !== undefined) throw new ClosedError('ERR_CLOSED', 'this lane is closed')
    return LeasedFile.lease(files, () => this.#thread.run(operation()))
  }
}

function fileOf(file: LogFile | OffsetIndexFile | TimeIndexFile): LeasedFile {
  return file instanceof PortableLogFile ? file.file : asIndex(file).file
}

function asLog(log: LogFile): PortableLogFile {
  if (log instanceof PortableLogFile) return log
  throw wrongType('log', 'a log file of the portable backend', log)
}

function asIndex(index: unknown): PortableIndexFile<number, unknown> {
  if (index instanceof PortableIndexFile) return index
  throw wrongType('index', 'an index file of the portable backend', index)
}
