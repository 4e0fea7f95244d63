/**
 * Names of partition directories, `topic-partition`. Pure; the set that Kafka
 * accepts, so that a name can never lead out of its log directory.
 */

import { INT32_MAX } from '../base/int64.js'

export interface TopicPartition {
  readonly topic: string
  readonly partition: number
}

const TOPIC = /^[a-zA-Z0-9._-]{1,249}$/
const MARKED = /\.[0-9a-f]{32}-(delete|future|stray)$/

export function isTopicName(topic: string): boolean {
  return TOPIC.test(topic) && topic !== '.' && topic !== '..'
}

/** Undefined for a name that is not that of a live log. */
export function parsePartitionName(name: string): TopicPartition | undefined {
  if (MARKED.test(name)) return undefined
  const dash = name.lastIndexOf('-')
  const topic = name.slice(0, Math.max(0, dash))
  const digits = name.slice(dash + 1)
  if (!isTopicName(topic) || !/^\d{1,10}$/.test(digits) || Number(digits) > INT32_MAX) return undefined
  // `foo-01` would be a second name of `foo-1`.
  if (digits !== String(Number(digits))) return undefined
  return { topic, partition: Number(digits) }
}

export function partitionName({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`
}
