/** Kafka's side of the tests is built from the sources as they are now. */
import { buildWitness } from '../../../scripts/lib/kafka-witness.mjs'

export default function setup(): void {
  buildWitness()
}
