/** The machine and the day of a run in one line, for a reader. */
export function describeMachine(head) {
  const { processor, cores, memory, system, fileSystem, node, javas, kafka, commit, date, load } = head
  const hardware = [`${cores} x ${processor}`, memory, fileSystem, system]
  const versions = [
    `Node ${node.slice(1)}`,
    ...(kafka === null ? [] : [`Kafka ${kafka} on Java ${javas.join(' and ')}`]),
  ]
  return [...hardware, ...versions, `commit ${commit}`, date, `load at the start ${load[0].toFixed(1)}`].join(
    ', ',
  )
}
