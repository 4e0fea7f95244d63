/**
 * What a careful person writes by hand on `node:fs`: a file of frames
 * [length of the rest, u32][CRC-32 of the rest, u32][key's length, u16][key][value],
 * and where each begins in memory.
 */
import { closeSync, fdatasync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

const HEAD = 8
const CHUNK = 1 << 20

export class Floor {
  #fd
  #size = 0
  #positions = []
  #frames = Buffer.alloc(CHUNK)
  #chunk = Buffer.alloc(CHUNK)
  #waiting = []
  #isFlushing = false

  static open(directory) {
    return new Floor(openSync(join(directory, 'frames'), 'a+'))
  }

  constructor(fd) {
    this.#fd = fd
  }

  appendEach(records) {
    for (const record of records) this.#write(this.#frame(record, 0))
  }

  sendAll(records) {
    this.appendEach(records)
  }

  appendTogether(records) {
    let end = 0
    for (const record of records) end = this.#frame(record, end)
    this.#write(end)
  }

  /** All that is sent before the disk is free again shares one write and one `fdatasync`. */
  sendDurably(record) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, resolve, reject })
      this.#flushSoon()
    })
  }

  appendDurably(record) {
    return this.sendDurably(record)
  }

  #flushSoon() {
    if (this.#isFlushing || this.#waiting.length === 0) return
    this.#isFlushing = true
    setImmediate(() => this.#flush())
  }

  #flush() {
    const group = this.#waiting
    this.#waiting = []
    this.appendTogether(group.map(({ record }) => record))
    fdatasync(this.#fd, (error) => {
      for (const { resolve, reject } of group) {
        if (error === null) resolve()
        else reject(error)
      }
      this.#isFlushing = false
      this.#flushSoon()
    })
  }

  readAll() {
    let count = 0
    let bytes = 0
    let kept = 0
    for (let position = 0; position < this.#size; ) {
      const read = readSync(this.#fd, this.#chunk, kept, CHUNK - kept, position)
      position += read
      const end = kept + read
      let at = 0
      for (; at + HEAD <= end; ) {
        const next = at + HEAD + this.#chunk.readUInt32LE(at)
        if (next > end) break
        bytes += this.#valueAt(this.#chunk, at, next).length
        count++
        at = next
      }
      this.#chunk.copy(this.#chunk, 0, at, end)
      kept = end - at
    }
    return { count, bytes }
  }

  readEach() {
    return this.readAll()
  }

  #valueAt(bytes, at, next) {
    const rest = bytes.subarray(at + HEAD, next)
    if (crc32(rest) !== bytes.readUInt32LE(at + 4)) throw new Error(`a damaged frame at ${at}`)
    return rest.subarray(2 + rest.readUInt16LE(0))
  }

  /** One read, into memory that is the caller's. */
  readAt(offset) {
    const position = this.#positions[offset]
    const size = (this.#positions[offset + 1] ?? this.#size) - position
    const bytes = Buffer.allocUnsafe(size)
    readSync(this.#fd, bytes, 0, size, position)
    return bytes.subarray(HEAD + 2 + bytes.readUInt16LE(HEAD)).length
  }

  close() {
    closeSync(this.#fd)
  }

  /** Puts a frame into the buffer; its end. */
  #frame({ key, value }, at) {
    const frames = this.#frames
    const rest = at + HEAD
    const end = rest + 2 + key.length + value.length
    this.#positions.push(this.#size + at)
    frames.writeUInt16LE(key.length, rest)
    frames.set(key, rest + 2)
    frames.set(value, rest + 2 + key.length)
    frames.writeUInt32LE(end - rest, at)
    frames.writeUInt32LE(crc32(frames.subarray(rest, end)), at + 4)
    return end
  }

  #write(length) {
    writeSync(this.#fd, this.#frames, 0, length)
    this.#size += length
  }
}
