/**
 * One run of `plog dump`: what was asked for, and where the answers go.
 */

import { basename } from 'node:path'
import type { CommonFlags, Context } from '../context.js'
import type { Output } from '../output.js'
import { Findings } from './findings.js'

export interface DumpFlags extends CommonFlags {
  readonly files?: string
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

  constructor(context: Context, flags: DumpFlags) {
    this.out = context.out
    this.flags = flags
    this.json = context.json
    this.findings = new Findings(context)
  }

  /** Whether records are shown, not batches alone. */
  get deep(): boolean {
    return this.flags.deepIteration === true || this.flags.printDataLog === true
  }

  nameOf(path: string): string {
    return basename(path)
  }
}
