/**
 * Dumps an `.index`, each entry checked against the batch that it points to.
 */

import { corrupt } from '../../errors.js'
import { toJson } from '../json.js'
import type { DumpRun } from './dump-run.js'
import { type DumpedFile, withFile } from './dumped-file.js'
import { batchHead } from './file-batches.js'
import { capacityOf, OFFSET_ENTRY_BYTES, offsetEntries, offsetEntryAt } from './index-entries.js'
import type { NamedFile } from './named-file.js'

/** Found offset of an entry whose position is no batch's. */
const NO_BATCH = -1n

export async function dumpIndex(run: DumpRun, { path, baseOffset, sibling }: NamedFile): Promise<void> {
  await withFile(sibling('log'), (log) =>
    withFile(path, async (index) => {
      if (capacityOf(index, OFFSET_ENTRY_BYTES) === 0) {
        if (!run.json) await run.out.line(`${path} is empty.`)
        return
      }
      if (run.flags.indexSanityCheck === true) await checkSanity(run, index, baseOffset)
      else await dumpEntries(run, index, log, baseOffset)
    }),
  )
}

/** What a broker asks at its start to decide whether an index is built anew. */
async function checkSanity(run: DumpRun, index: DumpedFile, baseOffset: bigint): Promise<void> {
  const { path, sizeInBytes } = index
  const last = await offsetEntryAt(index, baseOffset, capacityOf(index, OFFSET_ENTRY_BYTES) - 1)
  if (last.offset < baseOffset)
    throw corrupt('index', path, `the last offset is ${last.offset}, below the base offset ${baseOffset}`)
  if (sizeInBytes % OFFSET_ENTRY_BYTES !== 0)
    throw corrupt('index', path, `${sizeInBytes} bytes are no multiple of ${OFFSET_ENTRY_BYTES}`)
  await tellSane(run, path)
}

export async function tellSane(run: DumpRun, path: string): Promise<void> {
  await run.out.line(run.json ? toJson({ file: path, type: 'sane' }) : `${path} passed sanity check.`)
}

async function dumpEntries(
  run: DumpRun,
  index: DumpedFile,
  log: DumpedFile,
  baseOffset: bigint,
): Promise<void> {
  const { path } = index
  for await (const { offset, position } of offsetEntries(index, baseOffset)) {
    // No batch at the start of a segment is indexed: these are the zeros of an index without entries.
    if (offset !== baseOffset || position !== 0) {
      const found = (await batchHead(log, position))?.lastOffset ?? NO_BATCH
      if (found !== offset) await run.findings.add('index-mismatch', path, offset, found)
    }
    if (run.flags.verifyIndexOnly === true) continue
    await run.out.line(
      run.json
        ? toJson({ file: path, type: 'index-entry', offset, position })
        : `offset: ${offset} position: ${position}`,
    )
  }
}
