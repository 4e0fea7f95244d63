/** The work of rows/growth.mjs. */
import { cleanings } from './growth/cleanings.mjs'
import { lookUps } from './growth/look-ups.mjs'
import { logMemory, segmentMemory } from './growth/memory.mjs'
import { openings } from './growth/openings.mjs'
import { retentionChecks } from './growth/retention-checks.mjs'

const each = (ids, work) => Object.fromEntries(ids.map((id) => [id, work]))

export const work = {
  ...each(['look-up-1mib', 'look-up-8mib', 'look-up-64mib', 'look-up-256mib', 'look-up-1024mib'], lookUps),
  ...each(
    [10, 100, 1_000, 10_000, 100_000].map((count) => `open-segments-${count}`),
    openings,
  ),
  ...each(
    [0.25, 0.5, 1, 2, 4].map((fill) => `clean-fill-${fill}`),
    cleanings,
  ),
  ...each(
    [10, 100, 1_000, 10_000].map((count) => `retention-${count}`),
    retentionChecks,
  ),
  'memory-log': logMemory,
  'memory-log-open': logMemory,
  'memory-segment': (context) => segmentMemory(context, false),
  'memory-segment-open': (context) => segmentMemory(context, true),
}
