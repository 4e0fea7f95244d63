/**
 * What a broker says of its logs while it runs, and which of it is a
 * complaint. It prints warnings and errors of everything, and all that its log
 * layer says (BrokerLogging). A complaint is
 *
 * - every warning or error but the two below, which each start prints;
 * - every other line about one of the partitions, or about logs as a whole,
 *   that is not routine: lines that a broker prints of logs that nobody but
 *   itself has touched, too.
 *
 * So a line that nobody foresaw is a complaint.
 */
import { readFileSync } from 'node:fs'

export interface OutputLine {
  readonly level: string
  readonly logger: string
  readonly text: string
}

const LINE = /^\[([A-Z]+)\] (\S+) - (.*)$/

/** Warnings of each start: an empty or old metadata log, and a client that is closed twice. */
const WARNINGS_OF_ANY_START = [
  /Performing controller activation\./,
  /NetworkClient that has already been closed\.$/,
]

/** KRaft's own log lies elsewhere, and is always recovered. */
const OF_METADATA = /__cluster_metadata-0/

const ROUTINE = [
  // Loading, after a clean shutdown: the producers' state is read from the snapshot and what lies behind it.
  /^Loading logs from log dirs \[[^\]]*\]$/,
  /^Skipping recovery of \d+ logs from \S+ since clean shutdown file was found$/,
  /^No logs found to be loaded in /,
  /^Unable to read the broker epoch in /,
  /\] Loading producer state till offset \d+$/,
  /\] Reloading from producer snapshot and rebuilding producer state from offset \d+$/,
  /\] Loading producer state from snapshot file /,
  /\] Producer state recovery took \d+ms for snapshot load and \d+ms for segment recovery from offset \d+$/,
  /^Completed load of Log\(/,
  /^Loaded \d+ logs in \d+ms$/,
  /^Created log for partition \S+ in /,
  /\] Log loaded for partition \S+ with initial high watermark \d+$/,
  /\] No checkpointed highwatermark is found for partition /,
  // At work.
  /\] Rolled new log segment at offset \d+ in \d+ ms\.$/,
  /\] Wrote producer snapshot at offset \d+ with \d+ producer ids in \d+ ms\.$/,
  /\] Incremented log start offset to \d+ due to client delete records request$/,
  // The cleaner replaces segments; of producers' snapshots those of a segment's base stay, and the last.
  /\] Deleting segment files LogSegment\([^)]*\)(,LogSegment\([^)]*\))*$/,
  /^Deleted (log|offset index|time index|transaction index) \S+\.deleted\.$/,
  /^Deleted producer state snapshot \S+$/,
  /^Starting log (cleanup|flusher) with a (default )?period of \d+ ms\.$/,
  /^Shutting down\.$/,
  /^Shutdown complete\.$/,
  /^Broker and topic stats closed$/,
]

/** Of the cleaner, of the replica manager and its handlers: they tell what they do, and complain with warnings. */
const AT_WORK = /\.(LogCleaner(\$CleanerThread)?|Cleaner|ReplicaManager(\$LogDirFailureHandler)?)$/

/** The lines of an output file; those of a stack trace belong to the line before. */
export function outputLines(path: string): OutputLine[] {
  const lines: OutputLine[] = []
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [, level, logger, text] = LINE.exec(line) ?? []
    if (level !== undefined) lines.push({ level, logger, text } as OutputLine)
  }
  return lines
}

/** The lines that are complaints, as text. */
export function complaints(lines: readonly OutputLine[]): string[] {
  return lines.filter(isComplaint).map(({ level, text }) => `${level} ${text}`)
}

function isComplaint({ level, logger, text }: OutputLine): boolean {
  if (OF_METADATA.test(text)) return false
  if (level !== 'INFO') return !WARNINGS_OF_ANY_START.some((pattern) => pattern.test(text))
  return !AT_WORK.test(logger) && !ROUTINE.some((pattern) => pattern.test(text))
}

/** Whether the broker took the directory for one that was closed cleanly. */
export function skipsRecovery(lines: readonly OutputLine[]): boolean {
  return lines.some(({ text }) =>
    /^Skipping recovery of \d+ logs .* clean shutdown file was found$/.test(text),
  )
}

/** Whether it took the directory for one that was not. */
export function recoversAll(lines: readonly OutputLine[]): boolean {
  return lines.some(({ text }) => /^Recovering \d+ logs .* no clean shutdown file was found$/.test(text))
}
