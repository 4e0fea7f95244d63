/** Logs in temporary directories, for tests of the engine. */
import { join } from 'node:path'
import { afterEach } from 'vitest'
import type { LogConfigInput } from '../../lib/config/log-config.js'
import type { LogRecord } from '../../lib/format/record.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { openLog } from '../../lib/manager/open-log.js'
import type { OpenLogOptions } from '../../lib/manager/open-options.js'
import { tempDir } from './temp-dir.js'

const opened: PartitionLog[] = []

afterEach(async () => {
  for (const log of opened.splice(0)) await log.close().catch(() => undefined)
})

/** Opens a log that is closed when the test ends; a fresh directory unless `path` is given. */
export async function testLog(
  options: OpenLogOptions & { path?: string; config?: LogConfigInput } = {},
): Promise<PartitionLog> {
  const { path = join(tempDir(), 'orders-0'), ...rest } = options
  const log = await openLog(path, rest)
  opened.push(log)
  return log
}

/** Closed with the others when the test ends. */
export function closeLater(log: PartitionLog): PartitionLog {
  opened.push(log)
  return log
}

export async function collect<T>(iterable: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of iterable) items.push(item)
  return items
}

export async function values(records: AsyncIterable<LogRecord>): Promise<(string | undefined)[]> {
  return (await collect(records)).map(({ value }) => value?.toString())
}

/** `count` records `v0`, `v1` … with times from `timestamp` on, one ms apart. */
export function numbered(count: number, from = 0, timestamp = 1_000) {
  return Array.from({ length: count }, (_, index) => ({
    key: `k${from + index}`,
    value: `v${from + index}`,
    timestamp: timestamp + index,
  }))
}
