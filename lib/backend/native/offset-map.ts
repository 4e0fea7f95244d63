/** An offset map of the native backend: a handle, and its size as the last put left it. */

import { ClosedError } from '../../errors.js'
import { noMemory } from '../no-memory.js'
import { badRow, checkKeyed, checkMap, checkPut } from '../record-arguments.js'
import {
  type OffsetMap,
  type OffsetMapOptions,
  type RecordColumns,
  type RowRange,
  SLOT_BYTES,
} from '../record-kernel.js'
import type { Handle, NativeAddon } from './addon.js'
import { type Answers, At } from './answers.js'

export class NativeOffsetMap implements OffsetMap {
  readonly slots: number
  readonly #addon: NativeAddon
  readonly #answers: Answers
  #handle: Handle | undefined
  #size = 0

  constructor(addon: NativeAddon, answers: Answers, options: OffsetMapOptions) {
    this.slots = checkMap(options)
    this.#addon = addon
    this.#answers = answers
    this.#handle = addon.map_open(this.slots, options.hash === 'xxh3')
    if (this.#handle === undefined) throw noMemory('an offset map', this.slots * SLOT_BYTES)
  }

  get size(): number {
    return this.#size
  }

  put(
    bytes: Uint8Array,
    given: RecordColumns,
    { from, count }: RowRange,
    fromOffset: bigint,
    maxSize: number,
  ): number {
    const handle = this.#openHandle()
    const { memory } = checkKeyed(bytes, given, { from, count })
    checkPut(this.slots, fromOffset, maxSize)
    this.#addon.map_put(handle, bytes, memory, from, count, fromOffset, maxSize)
    this.#size = this.#answers.number(At.size)
    this.#requireGoodRow()
    return this.#answers.number(At.length)
  }

  markSuperseded(bytes: Uint8Array, given: RecordColumns, { from, count }: RowRange): void {
    const handle = this.#openHandle()
    const { memory } = checkKeyed(bytes, given, { from, count })
    this.#addon.map_mark(handle, bytes, memory, from, count)
    this.#requireGoodRow()
  }

  clear(): void {
    this.#addon.map_clear(this.#openHandle())
    this.#size = 0
  }

  close(): void {
    if (this.#handle !== undefined) this.#addon.map_close(this.#handle)
    this.#handle = undefined
    this.#size = 0
  }

  #openHandle(): Handle {
    if (this.#handle === undefined) throw new ClosedError('ERR_CLOSED', 'the offset map is closed')
    return this.#handle
  }

  #requireGoodRow(): void {
    const row = this.#answers.number(At.badRow)
    if (row >= 0) throw badRow(row)
  }
}
