/**
 * What a manager's logs tell of themselves, all at one moment, and what kept
 * the others from being asked.
 */

import { jsonable } from '../base/jsonable.js'
import type { ErrorCode, PartitionLogError } from '../errors.js'
import type { ExplainOptions } from '../log/explain.js'
import type { LogExplanation } from '../log/explained-log.js'
import { asLogError } from '../log/log-error.js'
import type { PartitionLog } from '../log/partition-log.js'
import type { LogProblem } from './load-logs.js'

export interface ManagerExplanation {
  /** By topic and partition. */
  readonly logs: readonly LogExplanation[]
  /** Logs and directories that were not opened, and logs that are offline: nothing is rolled or deleted there. */
  readonly problems: readonly ExplainedProblem[]
  toJSON(): object
}

/** Why a log or a whole directory (`log` is null) cannot be explained, as plain data. */
export interface ExplainedProblem {
  readonly log: string | null
  readonly paths: readonly string[]
  readonly code: ErrorCode
  readonly message: string
}

/** Gives way to nobody: all is told of one moment. Opens indexes that are not open. */
export function explainLogs(
  logs: readonly PartitionLog[],
  problems: readonly LogProblem[],
  options: ExplainOptions,
): ManagerExplanation {
  const explained: LogExplanation[] = []
  const told = problems.map(({ log, paths, error }) => problemOf(log ?? null, paths, error))
  for (const log of logs) {
    try {
      explained.push(log.explain(options))
    } catch (error) {
      // An argument that cannot be one is the caller's fault, and no log's.
      if (error instanceof TypeError || error instanceof RangeError) throw error
      told.push(problemOf(log.name, [log.path], asLogError(error)))
    }
  }
  return jsonable({ logs: explained, problems: told })
}

function problemOf(
  log: string | null,
  paths: readonly string[],
  { code, message }: PartitionLogError,
): ExplainedProblem {
  return { log, paths, code, message }
}
