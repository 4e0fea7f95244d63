/**
 * `plog ls`: the logs of a log directory, or the segments of one log.
 */

import { basename, resolve } from 'node:path'
import type { Command } from 'commander'
import type { ReadOnlyPartitionLog, SegmentSummary } from '../index.js'
import { type CommonFlags, type Context, defineCommand } from './context.js'
import { forEachLog } from './each-log.js'
import { toJson } from './json.js'
import { renderTable, showTime } from './table.js'
import { isLog, withLog } from './targets.js'

export function lsCommand(context: Context): Command {
  return defineCommand('ls', "list the logs of a log directory, or one log's segments")
    .argument('<path>', 'directory of a log, or a log directory')
    .action((path: string, flags: CommonFlags) => list(context, path, flags))
}

async function list(context: Context, path: string, flags: CommonFlags): Promise<void> {
  if (await isLog(path)) {
    await withLog(path, flags, async (log) => {
      await listSegments(context, log)
    })
    return
  }
  const logs: LogSummary[] = []
  await forEachLog(context, path, flags, async (logPath, log) => {
    logs.push(summarizeLog(basename(resolve(logPath)), log))
  })
  await listLogs(context, logs)
}

interface LogSummary {
  readonly name: string
  readonly segments: number
  readonly sizeInBytes: number
  readonly logStartOffset: bigint
  readonly logEndOffset: bigint
}

function summarizeLog(name: string, log: ReadOnlyPartitionLog): LogSummary {
  const { segmentSizes, offsets } = log
  return {
    name,
    segments: segmentSizes.length,
    sizeInBytes: segmentSizes.reduce((sum, { sizeInBytes }) => sum + sizeInBytes, 0),
    logStartOffset: offsets.logStartOffset,
    logEndOffset: offsets.logEndOffset,
  }
}

async function listLogs(context: Context, logs: readonly LogSummary[]): Promise<void> {
  if (context.json) {
    for (const log of logs) await context.out.line(toJson(log))
    return
  }
  const columns = [
    { name: 'log', align: 'left' as const },
    { name: 'segments' },
    { name: 'size' },
    { name: 'start offset' },
    { name: 'end offset' },
  ]
  const rows = logs.map((log) => [
    log.name,
    String(log.segments),
    String(log.sizeInBytes),
    String(log.logStartOffset),
    String(log.logEndOffset),
  ])
  await context.out.line(renderTable(context, columns, rows))
}

async function listSegments(context: Context, log: ReadOnlyPartitionLog): Promise<void> {
  const { segments } = log
  if (context.json) {
    for (const segment of segments) await context.out.line(toJson(segment))
    return
  }
  const columns = [
    { name: 'base offset' },
    { name: 'next offset' },
    { name: 'size' },
    { name: 'index entries' },
    { name: 'time index entries' },
    { name: 'last timestamp' },
    { name: '', align: 'left' as const },
  ]
  await context.out.line(renderTable(context, columns, segments.map(segmentRow)))
}

function segmentRow(segment: SegmentSummary): string[] {
  return [
    String(segment.baseOffset),
    String(segment.nextOffset),
    String(segment.sizeInBytes),
    String(segment.offsetIndexEntries),
    String(segment.timeIndexEntries),
    showTime(segment.maxTimestamp),
    segment.active ? 'active' : '',
  ]
}
