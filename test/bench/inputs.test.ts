/** What the benchmarks ask for and write is the same in every process, whatever its language. */
import { expect, test } from 'vitest'
import { numbersBetween } from '../../bench/data/numbers.mjs'
import { BatchSource, SHAPES, TIMESTAMP } from '../../bench/data/shapes.mjs'
import { encodeBatch, recordBatches } from '../../lib/index.js'

test('the numbers at random are those of Numbers.java', () => {
  const of = numbersBetween(1000, 10_000)
  expect([0, 1, 2, 3, 4, 5].map(of)).toEqual([3873, 6862, 8394, 8621, 5951, 3031])
  expect(of(65_536)).toBe(of(0))
})

test.each(Object.entries(SHAPES))(
  'batches of the shape %s have its size, and a record its offset for a time',
  (_name, shape) => {
    const source = new BatchSource(shape)
    source.next()
    const bytes = encodeBatch(source.next(), { baseOffset: shape.records })
    expect(bytes.length).toBe(shape.batchBytes)
    for (const batch of recordBatches(bytes)) {
      for (const { offset, timestamp } of batch.records()) expect(timestamp).toBe(BigInt(TIMESTAMP) + offset)
    }
  },
)
