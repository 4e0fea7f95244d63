/**
 * `plog recover`: opens what was not closed cleanly, tells what that did, and
 * closes it cleanly again; or tells what it would do.
 */

import { type Command, Option } from 'commander'
import {
  type DamagePolicy,
  dryRecovery,
  openLog,
  openLogManager,
  type PartitionLogError,
  type RecoveryReport,
} from '../index.js'
import { type CommonFlags, type Context, defineCommand, examples } from './context.js'
import { describeFailure, EXIT } from './failure.js'
import { toJson } from './json.js'
import { recoveryLines } from './recovery-text.js'
import { ScanProgress } from './scan-progress.js'
import { isLog, isStandalone, logsAt, nameOfLog } from './targets.js'

interface Flags extends CommonFlags {
  readonly dryRun?: boolean
  readonly quarantine?: string
  readonly onDamage?: DamagePolicy
}

export function recoverCommand(context: Context): Command {
  return defineCommand('recover', 'do what opening does after an unclean stop, and tell it')
    .argument('<path>', 'directory of a log, or a log directory')
    .option('--dry-run', 'only tell what would be done: no lock, nothing written')
    .option('--quarantine <dir>', 'copy each file there before it is cut or removed')
    .addOption(
      new Option('--on-damage <policy>', 'damage in what was known to be on disk').choices(['refuse', 'cut']),
    )
    .addHelpText(
      'after',
      examples('plog recover data --dry-run', 'plog recover data/orders-0 --quarantine kept'),
    )
    .action((path: string, flags: Flags) => recover(context, path, flags))
}

async function recover(context: Context, path: string, flags: Flags): Promise<void> {
  const progress = new ScanProgress(context)
  try {
    if (flags.dryRun === true) await dryRun(context, path, flags, progress)
    else if (await isLog(path)) await recoverOne(context, path, flags, progress)
    else await recoverAll(context, path, flags, progress)
  } finally {
    progress.end()
  }
}

async function dryRun(context: Context, path: string, flags: Flags, progress: ScanProgress): Promise<void> {
  for (const log of await logsAt(path)) {
    const name = nameOfLog(log)
    const { report, refusal } = await dryRecovery(log, {
      ...wishes(flags),
      onProgress: (done, total) => progress.at(name, done, total),
    })
    progress.end()
    if (refusal === null) await tell(context, name, report, true)
    else refused(context, name, refusal)
  }
}

/** A log that is named by itself fails with its own code. */
async function recoverOne(
  context: Context,
  path: string,
  flags: Flags,
  progress: ScanProgress,
): Promise<void> {
  const log = await openLog(path, {
    ...wishes(flags),
    create: false,
    standalone: await isStandalone(path),
    onProgress: ({ log: name, done, total }) => progress.at(name, done, total),
  })
  await log.close()
  progress.end()
  await tell(context, nameOfLog(path), log.recovery, false)
}

async function recoverAll(
  context: Context,
  path: string,
  flags: Flags,
  progress: ScanProgress,
): Promise<void> {
  await logsAt(path)
  const manager = await openLogManager({
    ...wishes(flags),
    logDirs: [path],
    // Recovering is no reason to delete what has grown old.
    manager: { initialTaskDelayMs: 86_400_000 },
    onProgress: ({ phase, log, done, total }) => {
      if (phase === 'recover') progress.at(log, done, total)
    },
  })
  const logs = manager.logs()
  await manager.close()
  progress.end()
  for (const { name, recovery } of logs) await tell(context, name, recovery, false)
  for (const { log = path, error } of manager.problems) refused(context, log, error)
}

function wishes({ backend, quarantine, onDamage }: Flags) {
  return {
    ...(backend === undefined ? {} : { backend }),
    ...(quarantine === undefined ? {} : { quarantine }),
    ...(onDamage === undefined ? {} : { onDamage }),
  }
}

async function tell(
  context: Context,
  log: string,
  recovery: RecoveryReport | null,
  would: boolean,
): Promise<void> {
  if (context.json) await context.out.line(toJson({ log, dryRun: would, recovery }))
  else for (const line of recoveryLines(log, recovery, would)) await context.out.line(line)
}

/** One log that cannot be recovered hides none of the others. */
function refused(context: Context, _log: string, error: PartitionLogError): void {
  context.exitCode = error.code === 'ERR_CORRUPT' ? EXIT.notSo : EXIT.io
  context.io.stderr.write(describeFailure(error, context.json))
}
