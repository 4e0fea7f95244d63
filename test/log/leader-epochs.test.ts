/** Where a leader epoch ended, beside what is told of each offset one by one. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LeaderEpochs } from '../../lib/log/leader-epochs.js'
import { fcOptions } from '../support/random.js'

/** Epochs with gaps between them, and the offsets that each of them wrote. */
const history = fc.array(
  fc.record({ epochsOn: fc.integer({ min: 1, max: 3 }), records: fc.integer({ min: 1, max: 5 }) }),
  { maxLength: 6 },
)

test('an epoch ended where the first later one began; what nobody can know is null', () => {
  fc.assert(
    fc.property(history, fc.bigInt(0n, 9n), fc.integer({ min: -1, max: 20 }), (steps, logStart, asked) => {
      let epochs = new LeaderEpochs([])
      let [epoch, end] = [-1, logStart]
      /** The epoch of each offset. */
      const written: { offset: bigint; epoch: number }[] = []
      for (const { epochsOn, records } of steps) {
        epoch += epochsOn
        epochs = epochs.assigned(epoch, end)
        for (let n = 0; n < records; n++) written.push({ offset: end++, epoch })
      }
      const found = epochs.endOffsetFor(asked, end)
      if (asked < 0 || asked > epoch) {
        expect(found).toBeNull()
        return
      }
      const own = written.filter((record) => record.epoch <= asked)
      const next = written.find((record) => record.epoch > asked)
      expect(found).toEqual({ epoch: own.at(-1)?.epoch ?? asked, endOffset: next?.offset ?? end })
      // A follower that asks about the epoch found is told the same.
      expect(found && epochs.endOffsetFor(found.epoch, end)).toEqual(found)
    }),
    fcOptions(500),
  )
})

test('a log without epochs knows none', () => {
  for (const epoch of [-1, 0, 7]) expect(new LeaderEpochs([]).endOffsetFor(epoch, 5n)).toBeNull()
})
