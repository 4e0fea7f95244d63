/**
 * The demo's own judgement: each comparison is counted and printed, and a
 * failed one never stops those behind it.
 */
import { createHash } from 'node:crypto'
import { say } from './print.mjs'

export class Checks {
  passed = 0
  failed = 0

  /** Prints `what` as right or wrong; with both values where it is wrong. */
  equal(what, actual, expected) {
    if (actual === expected) {
      this.passed++
      say(`  ok: ${what}`)
    } else {
      this.failed++
      say(`  WRONG: ${what}\n    expected ${expected}\n    got      ${actual}`)
    }
  }

  summary() {
    const verdict = this.failed === 0 ? 'demo passed' : 'demo FAILED'
    return `${verdict}: ${this.passed} checks right, ${this.failed} wrong`
  }
}

/** One digest of a sequence of records: timestamps, keys and values, each with its length. */
export class RecordDigest {
  count = 0
  #hash = createHash('sha256')

  /** `key` and `value`: text, bytes or null, which differs from empty. */
  add({ timestamp, key, value }) {
    this.count++
    this.#hash.update(`${timestamp} ${lengthOf(key)} ${lengthOf(value)}\n`)
    if (key !== null) this.#hash.update(key)
    if (value !== null) this.#hash.update(value)
  }

  /** Count and digest; nothing can be added afterwards. */
  toString() {
    return `${this.count} records, SHA-256 ${this.#hash.digest('hex').slice(0, 16)}…`
  }
}

function lengthOf(bytes) {
  return bytes === null ? -1 : Buffer.byteLength(bytes)
}
