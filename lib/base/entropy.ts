/**
 * Randomness, injected: jitter and topic ids. Tests give a seeded one, so that
 * two runs leave the same bytes.
 */

import { randomBytes, randomInt } from 'node:crypto'

export interface Entropy {
  /** A whole number from 0 to `limit` - 1; 1 <= limit < 2^48. */
  below(limit: number): number
  /** `count` random bytes. */
  bytes(count: number): Buffer
}

export const systemEntropy: Entropy = {
  below: (limit) => randomInt(limit),
  bytes: (count) => randomBytes(count),
}

/** A topic id in Kafka's form: a version 4 UUID as 22 characters of URL-safe base64. */
export function newTopicId(entropy: Entropy): string {
  for (;;) {
    const uuid = Buffer.from(entropy.bytes(16))
    uuid[6] = ((uuid[6] as number) & 0x0f) | 0x40
    uuid[8] = ((uuid[8] as number) & 0x3f) | 0x80
    const id = uuid.toString('base64url')
    // Kafka draws again rather than have an id that reads as an option.
    if (!id.startsWith('-')) return id
  }
}
