/** Which segment is closed when one more is to be opened. */
import { describe, expect, test } from 'vitest'
import { type Evictable, OpenSegments } from '../../lib/segment/open-segments.js'

class FakeFiles implements Evictable {
  lastUse = 0
  isHeld = false
  isActive: boolean
  isOpen = false
  readonly name: string
  readonly #open: OpenSegments

  constructor(open: OpenSegments, name: string, isActive: boolean) {
    this.#open = open
    this.name = name
    this.isActive = isActive
  }

  use(): this {
    this.lastUse = this.#open.nextUse()
    if (this.isOpen) return this
    this.#open.makeRoom()
    this.isOpen = true
    this.#open.opened(this)
    return this
  }

  evict(): void {
    this.isOpen = false
  }
}

function room(limit: number) {
  const open = new OpenSegments(limit)
  const all: FakeFiles[] = []
  const add = (kind: 'sealed' | 'active', name: string) => {
    const files = new FakeFiles(open, name, kind === 'active')
    all.push(files)
    return files.use()
  }
  const opened = () => all.filter(({ isOpen }) => isOpen).map(({ name }) => name)
  return { open, add, opened }
}

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`)

describe.each(['sealed', 'active'] as const)('of %s segments alone', (kind) => {
  test('the one not used for longest goes', () => {
    const { add, opened } = room(3)
    const [a] = ['a', 'b', 'c'].map((name) => add(kind, name))
    a?.use()
    add(kind, 'd')
    expect(opened()).toEqual(['a', 'c', 'd'])
    add(kind, 'e')
    expect(opened()).toEqual(['a', 'd', 'e'])
  })
})

test('one that a thread uses is passed over, and more than the limit stay open only where all are', () => {
  const { open, add, opened } = room(2)
  const [a, b] = ['a', 'b'].map((name) => add('sealed', name)) as [FakeFiles, FakeFiles]
  a.isHeld = true
  add('sealed', 'c')
  expect(opened()).toEqual(['a', 'c'])
  b.use()
  b.isHeld = true
  add('active', 'd')
  expect(opened()).toEqual(['a', 'b', 'd'])
  a.isHeld = false
  open.released()
  expect(opened()).toEqual(['b', 'd'])
  b.isHeld = false
  open.released()
  expect(opened()).toEqual(['b', 'd'])
})

test('reading through sealed segments takes no more than a quarter from active ones', () => {
  const { add, opened } = room(8)
  for (const name of names('active', 8)) add('active', name)
  for (const name of names('sealed', 20)) add('sealed', name)
  expect(opened()).toEqual([...names('active', 8).slice(3), 'sealed17', 'sealed18', 'sealed19'])
})

test('active segments take the places of sealed ones that are not used any more', () => {
  const { add, opened } = room(4)
  for (const name of names('sealed', 4)) add('sealed', name)
  for (const name of names('active', 4)) add('active', name)
  expect(opened()).toEqual(names('active', 4))
})

test('what was closed otherwise leaves its place', () => {
  const { open, add, opened } = room(2)
  const a = add('sealed', 'a')
  add('sealed', 'b')
  a.evict()
  open.closed(a)
  add('sealed', 'c')
  expect(opened()).toEqual(['b', 'c'])
})

describe('threads', () => {
  const inside = (limit: number, kind: 'reads' | 'flushes') => {
    const open = new OpenSegments(limit)
    let count = 0
    for (let n = 0; n < limit + 5; n++) void open[kind].pass(() => new Promise<void>(() => count++))
    return count
  }

  test.each(['reads', 'flushes'] as const)('hold no more than a quarter for %s', (kind) => {
    expect([1, 3, 4, 40, 500].map((limit) => inside(limit, kind))).toEqual([1, 1, 1, 10, 125])
  })
})
