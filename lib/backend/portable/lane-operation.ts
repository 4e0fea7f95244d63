/**
 * What a lane can do, as plain values: operations that cross to its thread,
 * how one is carried out there, and how answers and failures cross back.
 */

import { join } from 'node:path'
import { ioError, PartitionLogError } from '../../errors.js'
import type { BatchScan, OffsetIndexEntry, ScanOptions, Slice, SliceBounds } from '../contract.js'
import { packLooks } from '../file-looks.js'
import { lookAt, syncData, syncPath } from './file-io.js'
import { OFFSET_ENTRY } from './index-entries.js'
import { lookUp } from './index-search.js'
import { scanBatches } from './scan.js'
import { readBytes, readSlice } from './slice.js'
import type { IndexView, LogView } from './views.js'

export type LaneOperation =
  | { readonly kind: 'flush'; readonly files: readonly { readonly fd: number; readonly path: string }[] }
  | { readonly kind: 'flushPath'; readonly path: string }
  | { readonly kind: 'look'; readonly directory: string; readonly names: readonly string[] }
  | {
      readonly kind: 'slice'
      readonly log: LogView
      readonly index: IndexView
      readonly target: number
      readonly bounds: SliceBounds
    }
  | { readonly kind: 'read'; readonly log: LogView; readonly position: number; readonly length: number }
  | { readonly kind: 'scan'; readonly log: LogView; readonly options: ScanOptions }

export type LaneAnswer = undefined | Float64Array | Slice | Buffer | BatchScan

export interface LaneRequest {
  readonly id: number
  readonly operation: LaneOperation
}

export interface LaneReply {
  readonly id: number
  readonly answer?: LaneAnswer
  readonly failure?: LaneFailure
}

/** An error's parts: cloning one between threads would lose its class and fields. */
export type LaneFailure =
  | { readonly syscall: string; readonly errno: string; readonly path: string; readonly position?: number }
  | { readonly error: Error }

/** Carries an operation out, blocking. */
export function carryOut(operation: LaneOperation): LaneAnswer {
  switch (operation.kind) {
    case 'flush':
      for (const { fd, path } of operation.files) syncData(fd, path)
      return undefined
    case 'flushPath':
      syncPath(operation.path)
      return undefined
    case 'look':
      return lookAtAll(operation.directory, operation.names)
    case 'slice':
      return readSlice(
        operation.log,
        entryFor(operation.index, operation.target),
        operation.target,
        operation.bounds,
      )
    case 'read':
      return readBytes(operation.log, operation.position, operation.length)
    case 'scan':
      return scanBatches(operation.log, operation.options)
  }
}

function lookAtAll(directory: string, names: readonly string[]): Float64Array {
  return packLooks(names.map((name) => lookAt(join(directory, name))))
}

function entryFor(index: IndexView, target: number): OffsetIndexEntry | null {
  return lookUp(index, OFFSET_ENTRY, target)
}

/** The memory of an answer that is handed over instead of copied. */
export function memoryOf(answer: LaneAnswer): ArrayBuffer[] {
  if (answer === undefined) return []
  if (ArrayBuffer.isView(answer)) return [answer.buffer as ArrayBuffer]
  if ('bytes' in answer) return [answer.bytes.buffer as ArrayBuffer]
  const columns = Object.values(answer.batches).filter((column) => typeof column !== 'number')
  return columns.map((column) => column.buffer as ArrayBuffer)
}

/** An answer as it was before it crossed: a Buffer arrives as a bare Uint8Array. */
export function restored(answer: LaneAnswer): LaneAnswer {
  if (answer instanceof Uint8Array) return asBuffer(answer)
  if (answer !== undefined && !ArrayBuffer.isView(answer) && 'bytes' in answer)
    return { ...answer, bytes: asBuffer(answer.bytes) }
  return answer
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

export function describeFailure(error: unknown): LaneFailure {
  if (error instanceof PartitionLogError && error.syscall !== undefined && error.errno !== undefined) {
    const { syscall, errno, path = '', position } = error
    return { syscall, errno, path, ...(position === undefined ? {} : { position }) }
  }
  return { error: error instanceof Error ? error : new Error(String(error)) }
}

export function errorOf(failure: LaneFailure): Error {
  if ('error' in failure) return failure.error
  const { syscall, errno, path, position } = failure
  return ioError(syscall, errno, path, position === undefined ? {} : { position })
}
