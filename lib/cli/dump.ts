/**
 * `plog dump`: what is in the files of a log, in the text of kafka-dump-log.
 * Opens everything for reading only, and goes on with the next file after one
 * that cannot be read.
 */

import { type Command, Option } from 'commander'
import { INT32_MAX } from '../base/int64.js'
import { parseCount } from './arguments.js'
import { type Context, defineCommand } from './context.js'
import { DEFAULT_DECODER_CLASS, parseDecoderClass } from './dump/decode/class-decoders.js'
import { type DumpFlags, DumpRun } from './dump/dump-run.js'
import { refuseDirectory } from './dump/dumped-file.js'
import { dumpIndex } from './dump/index-file.js'
import { dumpLog } from './dump/log-file.js'
import { javaPath, kindOf, namedFile } from './dump/named-file.js'
import {
  dumpLeaderEpochs,
  dumpOffsets,
  dumpPartitionMetadata,
  dumpSnapshot,
  dumpTransactionIndex,
} from './dump/small-files.js'
import { dumpTimeIndex } from './dump/time-index-file.js'
import { UsageError } from './failure.js'
import { ReaderGone } from './output.js'

export function dumpCommand(context: Context): Command {
  return (
    defineCommand(
      'dump',
      "print what is in a log's files: .log, .index, .timeindex, .txnindex, .snapshot, checkpoints",
    )
      .argument('[file...]', 'files to print')
      .option(
        '--files <list>',
        'files to print, separated by commas, as kafka-dump-log takes them',
        gatherFiles,
      )
      .option('--print-data-log', 'print records with key and value')
      .option('--deep-iteration', 'print records, not batches alone')
      .option('--index-sanity-check', 'only ask of an index whether a broker would build it anew')
      .option('--verify-index-only', 'check the entries of an index, and print only what is wrong')
      .option('--max-bytes <n>', 'read no more than so many bytes of a .log', parseCount(0, INT32_MAX))
      .option('--skip-record-metadata', 'of a record print only key and value')
      .addOption(decoderClass('key'))
      .addOption(decoderClass('value'))
      .option('--offsets-decoder', 'print records of __consumer_offsets by their fields')
      .option('--transaction-log-decoder', 'print records of __transaction_state by their fields')
      // Kafka reads batches of an index's entries through a buffer of this size; here it has no bearing.
      .addOption(new Option('--max-message-size <n>').argParser(parseCount(0, INT32_MAX)).hideHelp())
      .action((files: string[], flags: DumpFlags) => dump(context, files, flags))
  )
}

/** The class may be left away, as for kafka-dump-log. */
function decoderClass(part: 'key' | 'value'): Option {
  return new Option(`--${part}-decoder-class [class]`, `which of Kafka's decoders prints a record's ${part}`)
    .argParser(parseDecoderClass)
    .preset(DEFAULT_DECODER_CLASS)
}

async function dump(context: Context, files: readonly string[], flags: DumpFlags): Promise<void> {
  const paths = [...files, ...(flags.files ?? [])].map(javaPath)
  if (paths.length === 0) throw new UsageError('no file is given')
  const run = new DumpRun(context, withoutDefault(flags))
  for (const path of paths) {
    try {
      if (!run.json) await run.out.line(`Dumping ${path}`)
      await dumpFile(run, path)
    } catch (error) {
      if (error instanceof ReaderGone) throw error
      await run.findings.fail(error)
    }
  }
  await run.out.flush()
  run.findings.tell()
}

/** Empty names at the end are none, as in Java. */
function gatherFiles(list: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...list.replace(/(.),+$/, '$1').split(',')]
}

/** Kafka's default for `--max-bytes` means all of the file. */
function withoutDefault(flags: DumpFlags): DumpFlags {
  if (flags.maxBytes !== INT32_MAX) return flags
  const { maxBytes: _all, ...rest } = flags
  return rest
}

async function dumpFile(run: DumpRun, path: string): Promise<void> {
  switch (kindOf(path)) {
    case 'log':
      return dumpLog(run, path, `Log starting offset: ${namedFile(path).baseOffset}`)
    case 'metadata-snapshot':
      return dumpLog(run, path, metadataSnapshotHead(path))
    case 'bootstrap-snapshot':
      return dumpLog(run, path, 'KRaft bootstrap snapshot')
    case 'index':
      return dumpIndex(run, namedFile(path))
    case 'timeindex':
      return dumpTimeIndex(run, namedFile(path))
    case 'txnindex':
      return dumpTransactionIndex(run, path)
    case 'snapshot':
      return dumpSnapshot(run, path)
    case 'leader-epochs':
      return dumpLeaderEpochs(run, path)
    case 'partition-metadata':
      return dumpPartitionMetadata(run, path)
    case 'offsets':
      return dumpOffsets(run, path)
    default:
      await refuseDirectory(path)
      return run.findings.ignore(path)
  }
}

/** `<end offset>-<epoch>.checkpoint` of a metadata log. */
function metadataSnapshotHead(path: string): string {
  const [, endOffset = '0', epoch = '0'] = /(\d{20})-(\d{10})\.checkpoint$/.exec(path) ?? []
  return `Snapshot end offset: ${BigInt(endOffset)}, epoch: ${BigInt(epoch)}`
}
