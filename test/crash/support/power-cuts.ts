/**
 * Stops a trace after every step, in several variants, recovers what is left,
 * stops the recoveries too, and collects what breaks the law.
 */
import { seededEntropy } from '../../support/machine.js'
import { Disk } from './disk.js'
import { describeEvent } from './disk-events.js'
import { hashOf, type Image, imageOf, KEPT_OR_LOST, randomVariant, type Variant } from './images.js'
import { recover } from './recovered.js'
import type { AllKnown, Scenario } from './stage.js'
import type { Step } from './tracing-machine.js'

export interface CutOptions {
  readonly opens: Scenario['opens']
  readonly seed: number
  /** Random variants of each step, beside those of `KEPT_OR_LOST`. */
  readonly randomVariants: number
  /** Stops of each recovery. */
  readonly secondStops: number
  /** Syncs at these sites do nothing. */
  readonly isLeftOut?: (site: string) => boolean
  /** Images that were found in order before, by `keyOf`; shared between calls, they are not recovered again. */
  readonly sound?: Set<string>
  /** Of each step only every so many of the variants, others at each. */
  readonly thinned?: number
  /** Steps before this one are not stopped at. */
  readonly firstStop?: number
  /** Ends at the first breach. */
  readonly stopsAtFirst?: boolean
}

export interface CutCounts {
  steps: number
  /** Images made, and those recovered: the same image with the same knowledge counts once. */
  images: number
  recovered: number
  secondStops: number
  /** Logs that had a hole above what was durable. */
  holed: number
  readonly breaches: string[]
}

export function noCounts(): CutCounts {
  return { steps: 0, images: 0, recovered: 0, secondStops: 0, holed: 0, breaches: [] }
}

export async function cutEverywhere(
  steps: readonly Step<AllKnown>[],
  options: CutOptions,
  counts = noCounts(),
): Promise<CutCounts> {
  const disk = new Disk()
  const whole = new Disk()
  const entropy = seededEntropy(options.seed)
  const random = () => entropy.below(2 ** 31) / 2 ** 31
  const begin = Math.max(beginOf(steps), options.firstStop ?? 0)
  for (const [index, { event }] of steps.entries()) {
    disk.apply(event, options.isLeftOut)
    whole.apply(event)
    if (index < begin || isAsEver(disk, whole, options)) continue
    const next = steps[index + 1]
    // Knowledge is that of the next step: what was acknowledged between the two counts.
    const { known } = next ?? (steps[index] as Step<AllKnown>)
    counts.steps++
    for (const variant of variantsOf(options, index, random)) {
      const image = imageOf(disk, variant)
      const at = () => `after step ${index} (${describeEvent(event)}), ${variant.name}`
      await cutOnce(image, known, at, options, random, counts)
      if (options.stopsAtFirst === true && counts.breaches.length > 0) return counts
    }
  }
  return counts
}

/** The sync over what was there before. */
function beginOf(steps: readonly Step<AllKnown>[]): number {
  return steps.findIndex(({ event }) => event.kind === 'sync-end')
}

/** Where a sync is left out: nothing depends on it just now. */
function isAsEver(disk: Disk, whole: Disk, { isLeftOut }: CutOptions): boolean {
  return isLeftOut !== undefined && disk.unsynced() === whole.unsynced()
}

function variantsOf(
  { randomVariants, thinned = 1, seed }: CutOptions,
  index: number,
  random: () => number,
): Variant[] {
  const some = Array.from({ length: randomVariants }, (_, n) => randomVariant(`random ${n}`, random))
  return [...KEPT_OR_LOST, ...some].filter((_, n) => (n + index + seed) % thinned === 0)
}

async function cutOnce(
  image: Image,
  known: AllKnown,
  at: () => string,
  options: CutOptions,
  random: () => number,
  counts: CutCounts,
): Promise<void> {
  counts.images++
  const key = keyOf(image, known)
  if (options.sound?.has(key) === true) return
  counts.recovered++
  const { breaches, steps, holed } = await recover(image, known, options.opens)
  counts.holed += holed
  counts.breaches.push(...breaches.map((text) => `${at()}: ${text}`))
  if (breaches.length > 0) return
  options.sound?.add(key)
  for (let n = 0; n < options.secondStops; n++) {
    const second = secondStop(steps, options, random)
    if (second === undefined) return
    counts.secondStops++
    const again = await recover(second.image, second.known, options.opens)
    counts.breaches.push(
      ...again.breaches.map((text) => `${at()}; its recovery stopped ${second.at()}: ${text}`),
    )
  }
}

/** One random stop of a recovery, and of the append and close behind it. */
function secondStop(steps: readonly Step<AllKnown>[], { isLeftOut }: CutOptions, random: () => number) {
  const first = beginOf(steps)
  const stop = first + Math.floor(random() * (steps.length - first))
  const disk = new Disk()
  for (const { event } of steps.slice(0, stop + 1)) disk.apply(event, isLeftOut)
  const variant =
    random() < 0.4
      ? (KEPT_OR_LOST[Math.floor(random() * KEPT_OR_LOST.length)] as Variant)
      : randomVariant('random', random)
  const at = steps[stop]
  if (at === undefined) return undefined
  const { known } = steps[stop + 1] ?? at
  return {
    image: imageOf(disk, variant),
    known,
    at: () => `after step ${stop} (${describeEvent(at.event)}), ${variant.name}`,
  }
}

/** No value is ever the same as another: of a timeline its length and its last value tell all. */
function keyOf(image: Image, known: AllKnown): string {
  const brief = (_: string, value: unknown) =>
    Array.isArray(value) && value.length > 3 ? [value.length, String(value.at(-1)).slice(0, 12)] : value
  return `${hashOf(image)} ${JSON.stringify(known, brief)}`
}
