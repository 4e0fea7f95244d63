/**
 * Our cleaner's thread in a script: it runs in this one, and what each of its
 * rounds was told and did is kept, in the words of Kafka's driver.
 */
import { loadCodec } from '../../../lib/backend/codecs/load.js'
import type { Backend, Files } from '../../../lib/backend/contract.js'
import type { Clock } from '../../../lib/base/clock.js'
import { IoThrottle } from '../../../lib/cleaner/clean-control.js'
import type { CleanJob, CleanResult } from '../../../lib/cleaner/clean-job.js'
import type { CleanerThread } from '../../../lib/cleaner/cleaner-thread.js'
import type { PartitionLog } from '../../../lib/log/partition-log.js'
import { InlineCleaner } from '../../support/inline-cleaner.js'

/** One cleaning: what of the log was chosen, how far it came, what it read and wrote. */
export interface CleanedRound {
  readonly firstDirtyOffset: string
  readonly firstUncleanableOffset: string
  /** Where the next one begins. */
  readonly endOffset: string
  readonly dirtyRatio: number
  readonly cleanBytes: number
  readonly cleanableBytes: number
  readonly recordsRead: number
  readonly recordsWritten: number
  readonly bytesRead: number
  readonly bytesWritten: number
}

export class CleanerWatch {
  /** Of the last operation; whoever begins another empties it. */
  readonly rounds: CleanedRound[] = []
  readonly #inline: InlineCleaner
  readonly #mapBytes: number | undefined
  readonly #log: () => PartitionLog

  /** `mapBytes`: what the map of keys may take, where the script says so. */
  constructor(
    tools: { backend: Backend; files: Files; clock: Clock },
    mapBytes: number | undefined,
    log: () => PartitionLog,
  ) {
    this.#mapBytes = mapBytes
    this.#log = log
    const throttle = new IoThrottle(Number.POSITIVE_INFINITY, () => 0n)
    this.#inline = new InlineCleaner({ ...tools, loadCodec, throttle })
  }

  openThread(): CleanerThread {
    return {
      run: async (job, host) => {
        const chosen = this.#chosen()
        const mapBytes = this.#mapBytes ?? job.settings.mapBytes
        const result = await this.#inline.run({ ...job, settings: { ...job.settings, mapBytes } }, host)
        this.rounds.push(round(job, chosen, result))
        return result
      },
      close: () => this.#inline.close(),
    }
  }

  /** Nothing has changed since the log was chosen by it. */
  #chosen(): Chosen {
    const { cleaning } = this.#log().explain()
    if (cleaning.kind !== 'compacts') throw new Error(`a log is cleaned whose policy is ${cleaning.kind}`)
    const { dirtyRatio, cleanBytes, cleanableBytes } = cleaning
    return { dirtyRatio, cleanBytes, cleanableBytes }
  }
}

type Chosen = Pick<CleanedRound, 'dirtyRatio' | 'cleanBytes' | 'cleanableBytes'>

function round(job: CleanJob, chosen: Chosen, { endOffset, counts }: CleanResult): CleanedRound {
  const { recordsRead, recordsWritten, bytesRead, bytesWritten } = counts
  return {
    firstDirtyOffset: `${job.firstDirtyOffset}`,
    firstUncleanableOffset: `${job.firstUncleanableOffset}`,
    endOffset: `${endOffset}`,
    ...chosen,
    ...{ recordsRead, recordsWritten, bytesRead, bytesWritten },
  }
}
