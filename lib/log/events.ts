/**
 * What happens in a log, told over `node:diagnostics_channel` under
 * `partition-log:NAME`. Costs nothing while nobody listens.
 */

import { channel } from 'node:diagnostics_channel'

const channels = {
  append: channel('partition-log:append'),
  roll: channel('partition-log:roll'),
  flush: channel('partition-log:flush'),
  retention: channel('partition-log:retention'),
  clean: channel('partition-log:clean'),
  recover: channel('partition-log:recover'),
  offline: channel('partition-log:offline'),
}

export type EventName = keyof typeof channels

/** Whether anybody listens. */
export function isHeard(name: EventName): boolean {
  return channels[name].hasSubscribers
}

/** Publishes what `message` gives, if anybody listens. */
export function announce(name: EventName, message: () => object): void {
  const target = channels[name]
  if (target.hasSubscribers) target.publish(message())
}
