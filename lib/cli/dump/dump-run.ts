/**
 * One run of `plog dump`: what was asked for, and where the answers go.
 */

import { basename } from 'node:path'
import type { CommonFlags, Context } from '../context.js'
import type { Output } from '../output.js'
import { byteProgress, type Progress } from '../progress.js'
import {
  asksForDecoder,
  type DecoderFlags,
  type RecordDecoder,
  recordDecoder,
} from './decode/record-decoder.js'
import { Findings } from './findings.js'

export interface DumpFlags extends CommonFlags, DecoderFlags {
  readonly files?: readonly string[]
  readonly printDataLog?: boolean
  readonly deepIteration?: boolean
  readonly indexSanityCheck?: boolean
  readonly verifyIndexOnly?: boolean
  /** Undefined: all of a `.log`. */
  readonly maxBytes?: number
  readonly skipRecordMetadata?: boolean
}

export class DumpRun {
  readonly out: Output
  readonly flags: DumpFlags
  readonly json: boolean
  readonly findings: Findings
  readonly decoder: RecordDecoder
  readonly #context: Context

  constructor(context: Context, flags: DumpFlags) {
    this.out = context.out
    this.#context = context
    this.flags = flags
    this.json = context.json
    this.findings = new Findings(context)
    this.decoder = recordDecoder(flags)
  }

  /** Whether records are shown, not batches alone. */
  get deep(): boolean {
    return this.flags.deepIteration === true || this.printsData
  }

  /** Whether keys and values are shown; whoever asks for a decoder wants to see them. */
  get printsData(): boolean {
    return this.flags.printDataLog === true || asksForDecoder(this.flags)
  }

  /** Progress through a file of so many bytes. */
  progress(path: string, bytes: number): Progress {
    return byteProgress(this.#context, this.nameOf(path), bytes)
  }

  nameOf(path: string): string {
    return basename(path)
  }
}
