/**
 * Which logs of a directory are as they should be, which need a recovery when
 * they are opened, and with which options and threads they get it.
 */

import type { Backend } from '../backend/contract.js'
import type { RecoveryOptions } from '../log/recovery/recovery-options.js'
import { type RecoveryWishes, recoveryOptions } from './build-log.js'
import type { DirectoryListing } from './directory-listing.js'
import { ScanLanes } from './scan-lanes.js'
import type { DirectoryShare } from './shared-directories.js'

/** What the opener said of recoveries. */
export type RecoveryWish = Omit<RecoveryWishes, 'name' | 'wasClean' | 'scanLane'>

export interface RecoveryMeans {
  readonly backend: Backend
  /** Scans at a time, while logs are being opened. */
  readonly threads: number
  readonly wishes: RecoveryWish
}

export class DirectoryRecovery {
  readonly #share: DirectoryShare
  readonly #wishes: RecoveryWish
  readonly #scanLanes: ScanLanes
  /** Found in a directory that was not clean, left out, or closed otherwise than cleanly. */
  readonly #unclean: Set<string>

  constructor(share: DirectoryShare, found: DirectoryListing, { backend, threads, wishes }: RecoveryMeans) {
    this.#share = share
    this.#wishes = wishes
    this.#scanLanes = new ScanLanes(backend, threads)
    this.#unclean = new Set(share.wasClean ? [] : [...found.logs, ...found.setAside])
  }

  /** The directory may be called clean, as far as its logs are concerned. */
  get isClean(): boolean {
    return this.#unclean.size === 0
  }

  optionsFor(name: string): RecoveryOptions {
    const wasClean = !this.#unclean.has(name)
    const scanLane = wasClean ? this.#share.directory.readLane : this.#scanLanes.next()
    return recoveryOptions({ ...this.#wishes, name, wasClean, scanLane })
  }

  /** The log is in order, or gone. */
  done(name: string): void {
    this.#unclean.delete(name)
  }

  /** The log was not opened, or not closed as it should be: its files may not be as they were. */
  failed(name: string): void {
    this.#unclean.add(name)
  }

  /** No log is being opened. */
  close(): Promise<void> {
    return this.#scanLanes.close()
  }
}
