/**
 * Names of partition directories, `topic-partition`. Pure; the set that Kafka
 * accepts, so that a name can never lead out of its log directory.
 */

import { INT32_MAX, toInteger } from '../base/int64.js'
import { checkObject } from '../base/options.js'
import { outOfRange, wrongType } from '../errors.js'

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

export type DirectoryMark = 'delete' | 'future' | 'stray'

/** What a directory's name says it is beside a live log; undefined for any other name. */
export function parseMarkedName(name: string): DirectoryMark | undefined {
  return MARKED.exec(name)?.[1] as DirectoryMark | undefined
}

/** The longest name that file systems take. */
const LONGEST_NAME = 255

/**
 * The name under which the directory of a deleted log waits for its removal.
 * The topic is cut where the whole would be too long, as Kafka does. `unique`:
 * 32 hex digits.
 */
export function deletedName({ topic, partition }: TopicPartition, unique: string): string {
  const suffix = `-${partition}.${unique}-delete`
  return `${topic.slice(0, LONGEST_NAME - suffix.length)}${suffix}`
}

/** Throws TypeError or RangeError for what cannot name a log: a name never leads out of its directory. */
export function checkTopicPartition(value: TopicPartition): TopicPartition {
  checkObject('log', value)
  const { topic, partition } = value
  if (typeof topic !== 'string') throw wrongType('topic', 'a string', topic)
  if (!isTopicName(topic)) throw outOfRange('topic', '1 to 249 of [a-zA-Z0-9._-], not . or ..', topic)
  return { topic, partition: toInteger('partition', partition, 0, INT32_MAX) }
}

/** The names' own order: by topic, then by partition number. */
export function byTopicAndPartition(a: string, b: string): number {
  const [left, right] = [parsePartitionName(a), parsePartitionName(b)]
  if (left === undefined || right === undefined || left.topic !== right.topic)
    return a < b ? -1 : a > b ? 1 : 0
  return left.partition - right.partition
}
