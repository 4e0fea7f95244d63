/** The tools of these proofs are proved themselves: the disk forgets, and the law sees what is wrong. */
import { describe, expect, it } from 'vitest'
import { Disk } from './support/disk.js'
import { type DiskEvent, ROOT } from './support/disk-events.js'
import { imageOf, KEPT_OR_LOST, type Variant } from './support/images.js'
import { breaches, type Found, holes, type Known, NOT_THERE } from './support/law.js'
import { LoadRecord } from './support/load-record.js'
import { loadValue } from './support/load-value.mjs'

const named = (name: string) => KEPT_OR_LOST.find((variant) => variant.name === name) as Variant

describe('a disk that forgets', () => {
  const make: DiskEvent = { kind: 'make', parent: ROOT, name: 'a', node: 1, isDirectory: false }
  const content = (text: string): DiskEvent => ({ kind: 'content', node: 1, bytes: Buffer.from(text) })
  const sync = (node: number, number: number): DiskEvent[] => [
    { kind: 'sync-begin', sync: number, nodes: [node], site: 'here' },
    { kind: 'sync-end', sync: number, site: 'here' },
  ]
  const tried = (...events: DiskEvent[]) => {
    const disk = new Disk()
    for (const event of events) disk.apply(event)
    return (variant: string) =>
      Object.fromEntries([...imageOf(disk, named(variant))].map(([path, bytes]) => [path, String(bytes)]))
  }

  it('loses a name whose file alone was synced', () => {
    const image = tried(make, content('one'), ...sync(1, 0))
    expect(image('all lost')).toEqual({})
    expect(image('contents lost')).toEqual({ a: 'one' })
  })

  it('loses contents of a name that was synced, back to the last sync of the file', () => {
    const image = tried(make, ...sync(ROOT, 0), content('one'), ...sync(1, 1), content('two'))
    expect(image('all lost')).toEqual({ a: 'one' })
    expect(image('all kept')).toEqual({ a: 'two' })
  })

  it('counts a sync for what came before it began', () => {
    const [begin, end] = sync(1, 1) as [DiskEvent, DiskEvent]
    const image = tried(make, ...sync(ROOT, 0), content('one'), begin, content('two'), end)
    expect(image('all lost')).toEqual({ a: 'one' })
  })

  it('keeps a rename whole or not at all', () => {
    const rename: DiskEvent = { kind: 'rename', parent: ROOT, from: 'a', to: 'b', node: 1 }
    const image = tried(make, ...sync(ROOT, 0), rename)
    expect(image('all lost')).toEqual({ a: '' })
    expect(image('all kept')).toEqual({ b: '' })
  })

  it('ignores a sync that is left out', () => {
    const disk = new Disk()
    for (const event of [make, ...sync(ROOT, 0)]) disk.apply(event, (site) => site === 'here')
    expect([...imageOf(disk, named('all lost')).keys()]).toEqual([])
  })
})

describe('the law', () => {
  const known: Known = { ...NOT_THERE, exists: 'yes', timelines: [['a', 'b', 'c', 'd']], durableEnd: 3 }
  const found = (values: readonly string[], change: Partial<Found> = {}): Found => ({
    logStartOffset: 0,
    logEndOffset: values.length,
    records: values.map((value, offset) => ({ offset, value })),
    ...change,
  })

  it('holds for what was durable and any prefix behind it', () => {
    expect(breaches(known, found(['a', 'b', 'c']))).toEqual([])
    expect(breaches(known, found(['a', 'b', 'c', 'd']))).toEqual([])
  })

  it.each<[string, Found]>([
    ['a durable record lost', found(['a', 'b'])],
    ['another record', found(['a', 'x', 'c'])],
    ['a record that was never appended', found(['a', 'b', 'c', 'd', 'e'])],
    [
      'a record twice',
      found(['a', 'b', 'c'], {
        records: [0, 1, 1, 2].map((offset) => ({ offset, value: 'abc'[offset] as string })),
      }),
    ],
    [
      'a hole in what was durable',
      found(['a', 'b', 'c'], {
        records: [
          { offset: 0, value: 'a' },
          { offset: 2, value: 'c' },
        ],
      }),
    ],
    ['a start that was never moved', found([], { logStartOffset: 2, logEndOffset: 4 })],
  ])('sees %s', (_, what) => {
    expect(breaches(known, what)).not.toEqual([])
  })

  it('sees records that come back below a durable start', () => {
    expect(breaches({ ...known, startMin: 2, startMax: 2 }, found(['a', 'b', 'c']))).not.toEqual([])
  })

  it('counts a hole above what was durable', () => {
    const records = [...'abd'].map((value) => ({ offset: 'abcd'.indexOf(value), value }))
    expect(holes({ ...known, durableEnd: 2 }, { logStartOffset: 0, logEndOffset: 4, records })).toEqual([2])
  })
})

describe('the record of a load', () => {
  const records = (count: number) =>
    Array.from({ length: count }, (_, offset) => ({ offset, value: loadValue(1, offset) }))
  const loaded = () => {
    const record = new LoadRecord()
    for (const line of ['open 0 0', 'a 0 1 0', 'a 2 2 2', 'd 1']) record.told(1, line)
    return record
  }

  it('takes what was told, and what a killed process had no time to tell', () => {
    expect(loaded().judge({ logStartOffset: 0, logEndOffset: 3, records: records(3) })).toEqual([])
    expect(loaded().judge({ logStartOffset: 0, logEndOffset: 4, records: records(4) })).toEqual([])
  })

  it('misses what was durable, and what was appended', () => {
    expect(loaded().judge({ logStartOffset: 0, logEndOffset: 1, records: records(1) })).toEqual([
      'ends at 1, 2 was durable',
    ])
    expect(loaded().judge({ logStartOffset: 0, logEndOffset: 2, records: records(2) })).toEqual([
      'ends at 2, 3 was appended',
    ])
  })

  it('sees another value, and another order', () => {
    const wrong = records(3).with(1, { offset: 1, value: 'other' })
    expect(loaded().judge({ logStartOffset: 0, logEndOffset: 3, records: wrong })).toHaveLength(1)
    expect(loaded().judge({ logStartOffset: 0, logEndOffset: 3, records: records(3).reverse() })).not.toEqual(
      [],
    )
  })
})
