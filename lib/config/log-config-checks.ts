/**
 * Settings that are right one by one and cannot be together: what Kafka's
 * LogConfig refuses of a topic in a cluster with tiered storage. Pure. Values
 * above 2^53 - 1 count as equal.
 */

import { ConfigError } from '../errors.js'
import type { LogConfig } from './settings.js'

/** `local.retention.*`: as `retention.*`. */
const AS_RETENTION = -2
const UNLIMITED = -1

/** Throws `ERR_CONFIG_INVALID` with the two settings and their values. */
export function checkLogConfig(config: LogConfig): void {
  const { minCompactionLagMs, maxCompactionLagMs } = config
  if (minCompactionLagMs > maxCompactionLagMs) {
    throw contradiction(
      `min.compaction.lag.ms=${minCompactionLagMs} must not be more than max.compaction.lag.ms=${maxCompactionLagMs}`,
    )
  }
  if (config.remoteStorageEnable) checkRemote(config)
}

/** One limit of retention, in bytes or in ms, with its parts for local and remote storage. */
interface RemoteLimit {
  readonly unit: 'bytes' | 'ms'
  readonly total: number
  readonly isLimited: boolean
  readonly local: number
  readonly copyLag: number
}

function checkRemote(config: LogConfig): void {
  const policy = config.cleanupPolicy.join(',')
  if (policy !== '' && policy !== 'delete') {
    throw contradiction(`cleanup.policy=${policy} must be delete or empty with remote.storage.enable`)
  }
  const { retentionBytes, retentionMs, remoteLogCopyDisable } = config
  const limits: readonly RemoteLimit[] = [
    {
      unit: 'bytes',
      total: retentionBytes,
      isLimited: retentionBytes > UNLIMITED,
      local: config.localRetentionBytes,
      copyLag: config.remoteCopyLagBytes,
    },
    {
      unit: 'ms',
      total: retentionMs,
      isLimited: retentionMs !== UNLIMITED,
      local: config.localRetentionMs,
      copyLag: config.remoteCopyLagMs,
    },
  ]
  for (const limit of limits) checkRemoteLimit(limit, remoteLogCopyDisable)
}

function checkRemoteLimit({ unit, total, isLimited, local, copyLag }: RemoteLimit, copyDisabled: boolean) {
  const localName = `local.retention.${unit}=${local}`
  const totalName = `retention.${unit}=${total}`
  const isOwn = local !== AS_RETENTION
  if (isLimited && isOwn && (local === UNLIMITED || local > total))
    throw contradiction(`${localName} must not be more than ${totalName}`)
  const effective = isOwn ? local : total
  if (copyLag > 0 && effective >= 0 && copyLag > effective) {
    throw contradiction(
      `remote.copy.lag.${unit}=${copyLag} must not be more than what is kept locally, ${effective}`,
    )
  }
  if (copyDisabled && isOwn && local !== total)
    throw contradiction(`${localName} must be the same as ${totalName} with remote.log.copy.disable`)
}

function contradiction(message: string): ConfigError {
  return new ConfigError('ERR_CONFIG_INVALID', message)
}
