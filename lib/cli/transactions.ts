/**
 * `plog transactions`: the transactions of each log that have begun and not
 * ended, and what each holds back; or one of them is aborted.
 */

import type { Command } from 'commander'
import { type OpenTransaction, PartitionLogError, type ReadOnlyPartitionLog } from '../index.js'
import { parseInt64 } from './arguments.js'
import { type CommonFlags, type Context, defineCommand, examples } from './context.js'
import { forEachLog } from './each-log.js'
import { describeFailure, fieldsOf } from './failure.js'
import { toJson } from './json.js'
import { type Column, renderTable, showTime } from './table.js'
import { openToChange, topicPartitionOf } from './targets.js'

interface Flags extends CommonFlags {
  readonly abort?: bigint
}

const COLUMNS: readonly Column[] = [
  { name: 'log', align: 'left' },
  { name: 'producer id' },
  { name: 'epoch' },
  { name: 'first offset' },
  { name: 'last written', align: 'left' },
  { name: 'late', align: 'left' },
]

export function transactionsCommand(context: Context): Command {
  return defineCommand('transactions', 'list transactions that have not ended, or abort one')
    .argument('<path>', 'directory of a log, or a log directory')
    .option('--abort <producer-id>', "end this producer's transaction in the log that <path> is", parseInt64)
    .addHelpText('after', examples('plog transactions data', 'plog transactions data/orders-0 --abort 4001'))
    .action((path: string, flags: Flags) =>
      flags.abort === undefined ? list(context, path, flags) : abort(context, path, flags, flags.abort),
    )
}

async function list(context: Context, path: string, flags: Flags): Promise<void> {
  const rows: string[][] = []
  const tell = async (logPath: string, log: ReadOnlyPartitionLog) => {
    for (const transaction of log.openTransactions()) {
      if (context.json) await context.out.line(toJson(inJson(logPath, transaction)))
      else rows.push(rowOf(logPath, transaction))
    }
  }
  await forEachLog(context, path, flags, tell, (logPath, error) => tellProblem(context, logPath, error))
  if (rows.length > 0) await context.out.line(renderTable(context, COLUMNS, rows))
  else if (!context.json) context.tell('no transaction is open')
}

async function tellProblem(context: Context, logPath: string, error: PartitionLogError): Promise<void> {
  if (context.json) await context.out.line(toJson({ ...topicPartitionOf(logPath), error: fieldsOf(error) }))
  else context.io.stderr.write(describeFailure(error, false))
}

async function abort(context: Context, path: string, flags: Flags, producerId: bigint): Promise<void> {
  const log = await openToChange(path, flags)
  let transaction: OpenTransaction
  let marker: { readonly baseOffset: bigint }
  try {
    transaction = found(log, producerId)
    const { producerEpoch } = transaction
    marker = log.endTransaction({ producerId, producerEpoch, commit: false })
  } finally {
    await log.close()
  }
  const { topic, partition } = topicPartitionOf(path)
  const { firstOffset } = transaction
  const { baseOffset: markerOffset } = marker
  await context.out.line(
    context.json
      ? toJson({ topic, partition, producerId, firstOffset, markerOffset, aborted: true })
      : `${topic}-${partition}: aborted the transaction of producer ${producerId} from offset ${firstOffset} on; its marker is at ${markerOffset}`,
  )
}

function found(log: ReadOnlyPartitionLog, producerId: bigint): OpenTransaction {
  const transaction = log.openTransactions().find((open) => open.producerId === producerId)
  if (transaction !== undefined) return transaction
  throw new PartitionLogError(
    'ERR_INVALID_TRANSACTION_STATE',
    `producer ${producerId} has no transaction open in ${log.name}; plog transactions lists those that are`,
  )
}

function inJson(logPath: string, transaction: OpenTransaction): object {
  return { ...topicPartitionOf(logPath), ...transaction }
}

function rowOf(logPath: string, transaction: OpenTransaction): string[] {
  const { topic, partition } = topicPartitionOf(logPath)
  const { producerId, producerEpoch, firstOffset, lastTimestamp, isLate } = transaction
  const ids = [`${topic}-${partition}`, `${producerId}`, `${producerEpoch}`, `${firstOffset}`]
  return [...ids, showTime(lastTimestamp), isLate ? 'yes' : 'no']
}
