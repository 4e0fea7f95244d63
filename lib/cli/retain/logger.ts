/**
 * What the engine tells while it deletes, as lines: its own words, or with
 * `--json` one object for each deleted segment and each removed file. Warnings
 * and errors go to stderr.
 */

import type { Logger } from '../../index.js'
import type { Context } from '../context.js'
import { describeFailure } from '../failure.js'
import { toJson } from '../json.js'

interface Fields {
  readonly log?: string
  /** What happened, for programs. */
  readonly event?: string
  readonly error?: unknown
}

export function retentionLogger(context: Context): Logger {
  const warn = (fields: Fields, message: string) => {
    const { log } = fields
    context.tell(context.json ? toJson({ warning: { log, message } }) : withName(log, message))
  }
  return {
    debug: () => undefined,
    info(fields: Fields, message) {
      if (!context.json) context.out.line(withName(fields.log, message))
      else if (fields.event !== undefined) context.out.line(toJson({ ...fields, message }))
    },
    warn,
    error(fields: Fields, message) {
      if (fields.error === undefined) warn(fields, message)
      else context.io.stderr.write(describeFailure(fields.error, context.json))
    },
  }
}

function withName(log: string | undefined, message: string): string {
  return log === undefined ? message : `${log}: ${message}`
}
