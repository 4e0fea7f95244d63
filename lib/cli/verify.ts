/**
 * `plog verify`: every check of a log's files, what a recovery would do, and
 * the smallest safe repair. Changes nothing.
 */

import type { Command } from 'commander'
import { type VerifyReport, verifyLog } from '../index.js'
import { type CommonFlags, type Context, defineCommand, examples } from './context.js'
import { EXIT } from './failure.js'
import { toJson } from './json.js'
import { recoveryLines } from './recovery-text.js'
import { ScanProgress } from './scan-progress.js'
import { logsAt, nameOfLog } from './targets.js'

export function verifyCommand(context: Context): Command {
  return defineCommand('verify', 'check every batch, index and small file, beside a live writer too')
    .argument('<path>', 'directory of a log, or a log directory')
    .addHelpText('after', examples('plog verify data', 'plog verify data/orders-0 --json'))
    .action((path: string, flags: CommonFlags) => verify(context, path, flags))
}

async function verify(context: Context, path: string, { backend }: CommonFlags): Promise<void> {
  const progress = new ScanProgress(context)
  for (const log of await logsAt(path)) {
    const name = nameOfLog(log)
    const report = await verifyLog(log, {
      ...(backend === undefined ? {} : { backend }),
      onProgress: (done, total) => progress.at(name, done, total),
    }).finally(() => progress.end())
    if (report.findings.length > 0 || report.refusal !== null) context.exitCode = EXIT.notSo
    if (context.json) await context.out.line(toJson(jsonOf(report, name)))
    else for (const line of linesOf(report, name)) await context.out.line(line)
  }
}

function jsonOf({ refusal, ...report }: VerifyReport, log: string): object {
  const told = refusal && { code: refusal.code, message: refusal.message, path: refusal.path }
  return { ...report, log, refusal: told }
}

function* linesOf(report: VerifyReport, name: string): Generator<string> {
  const { segments, findings, refusal, repair, isClean } = report
  const sum = (of: (segment: VerifyReport['segments'][number]) => number) =>
    segments.reduce((total, segment) => total + of(segment), 0)
  const records = segments.reduce((total, segment) => total + segment.records, 0n)
  const bytes = sum(({ validBytes }) => validBytes)
  const found = findings.length === 0 ? 'sound' : `${findings.length} found to be wrong`
  const stop = isClean ? 'closed cleanly' : 'not closed cleanly, or in use'
  yield `${name}: ${found}; ${segments.length} segments, ${sum(({ batches }) => batches)} batches, ${records} records, ${bytes} bytes; ${stop}`
  for (const { path, position, message } of findings)
    yield `  ${path}${position === null ? '' : ` at position ${position}`}: ${message}`
  if (refusal !== null) yield `  opening it would be refused: ${refusal.message}`
  else if (report.report !== null) yield* [...recoveryLines('  opening it', report.report, true)]
  if (repair !== null) yield `  repair: ${repair}`
}
