/**
 * Entry of a lane's thread: carries operations out in the order in which they
 * come, and hands the memory of the answers over.
 */

import { parentPort } from 'node:worker_threads'
import { carryOut, describeFailure, type LaneReply, type LaneRequest, memoryOf } from './lane-operation.js'

parentPort?.on('message', ({ id, operation }: LaneRequest) => {
  try {
    const answer = carryOut(operation)
    reply({ id, answer }, memoryOf(answer))
  } catch (error) {
    reply({ id, failure: describeFailure(error) }, [])
  }
})

function reply(message: LaneReply, memory: ArrayBuffer[]): void {
  parentPort?.postMessage(message, memory)
}
