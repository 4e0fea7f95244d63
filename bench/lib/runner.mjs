/**
 * One row: its contenders are started one after the other, then rounds go
 * round them in turn, so that what the machine does meanwhile hits all alike.
 * A contender that fails is reported and left out of the row; so is one that
 * says it cannot take part, and that is no failure. A row that is `fresh` has
 * a new process each round. Where samples have a `check`, all have the same.
 */
import { plain } from './numbers.mjs'
import { summarize } from './statistics.mjs'
import { judge } from './verdict.mjs'
import { Absent } from './worker-process.mjs'

/**
 * Measures `row` by `contenders` in `rounds` rounds. `start(contender)` gives
 * the worker, not yet ready; `say(contender, text)` is told of progress.
 *
 * @returns `{ results, faults: [{ contender, text }], absent: [same] }`
 */
export async function runRow(row, { contenders, rounds, start, say }) {
  const course = new Course(row, say)
  for (const contender of contenders) await course.begin(contender, start)
  for (let round = 1; round <= rounds; round++) await course.round(round)
  await course.end()
  const { faults, absent } = course
  return { results: judge(row, course.results), faults, absent }
}

class Course {
  results = []
  faults = []
  absent = []
  #row
  #say
  #running = []
  #check

  constructor(row, say) {
    this.#row = row
    this.#say = say
  }

  async begin(contender, start) {
    const one = { contender, samples: [], worker: null, peakKib: 0 }
    one.start = async () => {
      one.worker = await start(contender)
      await one.worker.ready()
    }
    await this.#attempt(one, async () => {
      if (!this.#row.fresh) await one.start()
      this.#running.push(one)
    })
  }

  async round(round) {
    for (const one of [...this.#running]) {
      await this.#attempt(one, async () => {
        if (this.#row.fresh) await one.start()
        const sample = this.#checked(await one.worker.round())
        one.samples.push(sample)
        this.#say(one.contender, `round ${round}: ${plain(sample.value)} ${this.#row.unit}`)
        if (this.#row.fresh) await this.#close(one)
      })
    }
  }

  async end() {
    for (const one of [...this.#running]) {
      await this.#attempt(one, async () => {
        if (!this.#row.fresh) await this.#close(one)
        const { contender, peakKib } = one
        const { id: name, unit } = this.#row
        this.results.push({ name, contender, unit, ...summarize(one.samples), peakKib })
      })
    }
  }

  async #close(one) {
    const { peakKib = 0 } = await one.worker.end()
    one.peakKib = Math.max(one.peakKib, peakKib)
  }

  #checked(sample) {
    for (const name of ['value', 'operations']) {
      if (!Number.isFinite(sample[name]))
        throw new Error(`a sample without ${name}: ${JSON.stringify(sample)}`)
    }
    this.#check ??= sample.check
    if (sample.check !== this.#check)
      throw new Error(`not what the others did: ${sample.check}, ${this.#check}`)
    return sample
  }

  /** A failure ends the contender's part in the row, and nothing else. */
  async #attempt(one, action) {
    try {
      await action()
    } catch (error) {
      this.#running = this.#running.filter((other) => other !== one)
      await one.worker?.kill()
      const kind = error instanceof Absent ? 'absent' : 'faults'
      this[kind].push({ contender: one.contender, text: error.message })
      this.#say(one.contender, `${kind === 'absent' ? 'left out' : 'FAILED'}: ${error.message}`)
    }
  }
}
