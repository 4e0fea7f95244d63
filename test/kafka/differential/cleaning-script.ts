/**
 * Random scripts of logs that are cleaned: the steps of the others, with few
 * keys, so that most records are superseded, and with cleanings between them.
 */
import fc from 'fast-check'
import type { Comparison } from './operation.js'
import {
  append,
  crash,
  cuts,
  follower,
  looks,
  MOST_STEPS,
  marker,
  produce,
  type Script,
  type SomeBatch,
  type SomeRecord,
  type Step,
} from './script.js'
import { cleaningSettingsFor } from './script-settings.js'

const KEYS = ['a', 'b', 'c', 'key', '\u043a\u043b\u044e\u0447', ''] as const

/** Most values are short, one in six is none. A record without a key is rare: a compacted log refuses its whole batch. */
function ofFewKeys({ key, valueBytes, ...record }: SomeRecord): SomeRecord {
  const drawn = [...(key ?? '')].reduce(
    (sum, char) => sum + (char.codePointAt(0) as number),
    key?.length ?? 0,
  )
  const isWithout = key === null && (valueBytes ?? 1) % 4 === 0
  return { ...record, key: isWithout ? null : (KEYS[drawn % KEYS.length] as string), valueBytes }
}

/** Two encoders need not give the same bytes for what stays of a batch, so exact scripts have none that is compressed. */
function asCleaned<B extends SomeBatch>(batch: B, comparison: Comparison): B {
  const codec = comparison === 'exact' ? 'none' : batch.codec
  return { ...batch, codec, records: batch.records.map(ofFewKeys) }
}

const configure: fc.Arbitrary<Step> = fc
  .record(
    {
      'cleanup.policy': fc.constantFrom('delete', 'compact', 'compact', 'compact', 'compact,delete'),
      'delete.retention.ms': fc.nat(5000).map(String),
    },
    { requiredKeys: [] },
  )
  .map((settings) => ({ kind: 'configure', settings }))

/** Steps that belong together: a cleaning finds more behind a roll. */
function stepsOf(comparison: Comparison): fc.Arbitrary<Step[]> {
  const appends = append.map((step): Step => asCleaned(step, comparison))
  const produces = produce.map((step) => asCleaned(step, comparison))
  const followers = follower.map((step) => ({
    ...step,
    batches: step.batches.map((batch) => asCleaned(batch, comparison)),
  }))
  const one = fc.oneof(
    { weight: 18, arbitrary: appends },
    { weight: 16, arbitrary: produces },
    { weight: 8, arbitrary: marker },
    { weight: 6, arbitrary: followers },
    { weight: 4, arbitrary: fc.constant<Step>({ kind: 'clean' }) },
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.nat(4000) }) },
    { weight: 5, arbitrary: fc.constant<Step>({ kind: 'roll' }) },
    { weight: 4, arbitrary: looks },
    { weight: 3, arbitrary: cuts },
    { weight: 2, arbitrary: configure },
    { weight: 1, arbitrary: fc.constantFrom<Step>({ kind: 'reopen' }, { kind: 'retain' }) },
    { weight: 1, arbitrary: crash },
  )
  return fc.oneof(
    { weight: 7, arbitrary: one.map((step) => [step]) },
    { weight: 1, arbitrary: fc.constant<Step[]>([{ kind: 'roll' }, { kind: 'clean' }]) },
  )
}

export function cleaningScriptOf(comparison: Comparison): fc.Arbitrary<Script> {
  return fc.record({
    comparison: fc.constant(comparison),
    settings: cleaningSettingsFor(comparison),
    highWatermark: fc.constantFrom('auto' as const, 'auto' as const, 'auto' as const, 'manual' as const),
    steps: fc
      .array(stepsOf(comparison), { minLength: MOST_STEPS / 2, maxLength: MOST_STEPS, size: 'max' })
      .map((steps) => steps.flat()),
  })
}
