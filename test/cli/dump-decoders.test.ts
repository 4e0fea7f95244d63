/** The decoders of `plog dump`, without Kafka: records as its own classes write them, and what its tool prints of them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCoordinatorRecord } from '../../lib/cli/dump/decode/coordinator-record.js'
import { GROUP_RECORDS } from '../../lib/cli/dump/decode/group-records.js'
import { MessageError } from '../../lib/cli/dump/decode/message-reader.js'
import { encodeBatch } from '../../lib/index.js'
import { jsonLines, plog } from '../support/cli.js'
import { fcOptions } from '../support/random.js'
import { tempDir } from '../support/temp-dir.js'

function logOf(records: readonly { key: Buffer | null; value: Buffer | null }[]): string {
  const path = join(tempDir(), '00000000000000000000.log')
  const batches = records.map((one, offset) =>
    encodeBatch([{ ...one, timestamp: 1 }], { baseOffset: offset }),
  )
  writeFileSync(path, Buffer.concat(batches))
  return path
}

const hex = (text: string) => Buffer.from(text, 'hex')

/** Line of one record, decoded, without its metadata. */
async function decoded(flag: string, key: string, value: string | null): Promise<string> {
  const path = logOf([{ key: hex(key), value: value === null ? null : hex(value) }])
  const { stdout, exitCode } = await plog(['dump', flag, '--skip-record-metadata', path])
  expect(exitCode).toBe(0)
  return stdout.toString().split('\n')[3] ?? ''
}

describe('--offsets-decoder', () => {
  it.each([
    [
      'a committed offset with a topic id',
      '000100047439333100047437393062f2b06c',
      '0004000000000000007f000000071368c3a96c6c6f20e6bca2e5ad9720f09f98800e2588de8b302277010010489390cdc8336ba0f04366187823d47f',
      '| key: {"type":"1","data":{"group":"t931","topic":"t790","partition":1660072044}} payload: {"version":"4","data":{"offset":127,"leaderEpoch":7,"metadata":"héllo 漢字 😀","commitTimestamp":1019371380068590199,"topicId":"SJOQzcgza6DwQ2YYeCPUfw"}}',
    ],
    [
      'a classic group',
      '000200080001080c0b1b1f7f',
      '0002001268c3a96c6c6f20e6bca2e5ad9720f09f9880000000000005612c623a63000c7361792022686922205c202ffe2d79b31024243500000000',
      '| key: {"type":"2","data":{"group":"\\u0000\\u0001\\b\\f\\u000B\\u001B\\u001F\u007f"}} payload: {"version":"2","data":{"protocolType":"héllo 漢字 😀","generation":0,"protocol":"a,b:c","leader":"say \\"hi\\" \\\\ /","currentStateTimestamp":-131315004146965451,"members":[]}}',
    ],
    [
      'a member with a tagged structure that is null',
      '00050008636f6e73756d657200093c2f44454c4554453e',
      '0000000011746162096c696e650a72657475726e0d02680106612c623a638000000009636f6e73756d657201000100',
      '| key: {"type":"5","data":{"groupId":"consumer","memberId":"</DELETE>"}} payload: {"version":"0","data":{"instanceId":null,"rackId":null,"clientId":"tab\\tline\\nreturn\\r","clientHost":"h","subscribedTopicNames":[],"subscribedTopicRegex":"a,b:c","rebalanceTimeoutMs":-2147483648,"serverAssignor":"consumer","classicMemberMetadata":null}}',
    ],
    [
      'a streams group',
      '0011000474363037',
      '000000000007000000007fffffff030124030106612c623a630011746162096c696e650a72657475726e0d09636f6e73756d6572000204ffff8000030400007fff',
      '| key: {"type":"17","data":{"groupId":"t607"}} payload: {"version":"0","data":{"epoch":7,"metadataHash":2147483647,"lastAssignmentConfigs":[{"key":"","value":"a,b:c"},{"key":"tab\\tline\\nreturn\\r","value":"consumer"}],"storedDescriptionTopologyEpoch":-32768,"failedDescriptionTopologyEpoch":32767}}',
    ],
    ['a tombstone', '0003000167', null, '| key: {"type":"3","data":{"groupId":"g"}} payload: <DELETE>'],
    ['a type that is not known', '7fff', '00', '| key: Unknown record type 32767 at offset 0, skipping.'],
    [
      'a version that is not known',
      '0003000167',
      '0009',
      '| key: Error at offset 0, skipping. Found an unknown record version 9 for 3 type',
    ],
    [
      'a tagged field of negative size',
      '0003000167',
      `0000${'00000001'}0105ffffffff0f`,
      "| key: Error at offset 0, skipping. Could not read record with version 0 from value's buffer due to: -1.",
    ],
  ])('prints %s', async (_, key, value, line) => {
    expect(await decoded('--offsets-decoder', key, value)).toBe(line)
  })

  it('opens what a consumer keeps in its group, and leaves what another member keeps', async () => {
    const subscription = '00010000000100017400000000000000000000000000'
    // Version 0, the protocol's type, generation 1, no protocol, no leader, one member with id, client and host.
    const member = (protocolType: string) =>
      [
        ...['0000', protocolType, '00000001', 'ffff', 'ffff', '00000001'],
        ...['00016d', '000163', '000168', '0000000a'],
        ...[(subscription.length / 2).toString(16).padStart(8, '0'), subscription, '00000000'],
      ].join('')
    const open = await decoded('--offsets-decoder', '0002000167', member('0008636f6e73756d6572'))
    expect(open).toContain('"subscription":{"topics":["t"],"userData":"","ownedPartitions":[]}')
    const closed = await decoded('--offsets-decoder', '0002000167', member('0007636f6e6e656374'))
    expect(closed).toContain(`"subscription":"${hex(subscription).toString('base64')}"`)
  })

  it('ends with a foreseen answer whatever the bytes are', () => {
    const bytes = fc.uint8Array({ maxLength: 60 }).map((some) => Buffer.from(some))
    const type = fc.constantFrom(...Object.keys(GROUP_RECORDS).map(Number))
    fc.assert(
      fc.property(type, bytes, bytes, (id, key, value) => {
        try {
          parseCoordinatorRecord(GROUP_RECORDS, Buffer.concat([Buffer.from([0, id]), key]), value)
        } catch (error) {
          if (!(error instanceof MessageError)) throw error
        }
      }),
      fcOptions(2000),
    )
  })
})

describe('--transaction-log-decoder', () => {
  it.each([
    [
      '000100000003afd9a1c92957bfea32260401000000007fffffff7fffffffffffffff030108002bb12b3012b69002022ec003020000',
      '{"version":"1","data":{"producerId":15835177417,"nextProducerId":12298223046801040,"producerEpoch":10583,"nextProducerEpoch":0,"transactionTimeoutMs":-1075170778,"transactionStatus":"CompleteCommit","transactionPartitions":[],"transactionLastUpdateTimestampMs":2147483647,"transactionStartTimestampMs":9223372036854775807,"clientTransactionVersion":11968}}',
    ],
    [
      '00000000000000000002d27700000000ff0000000100047431343900000001ffffff800000000206d54afcffffe49bebf02ba7',
      '{"version":"0","data":{"producerId":2,"producerEpoch":-11657,"transactionTimeoutMs":0,"transactionStatus":"-1","transactionPartitions":[{"topic":"t149","partitionIds":[-128]}],"transactionLastUpdateTimestampMs":8704576252,"transactionStartTimestampMs":-30116647261273}}',
    ],
  ])('prints %s', async (value, payload) => {
    expect(await decoded('--transaction-log-decoder', '0000000161', value)).toBe(
      `| key: {"type":"0","data":{"transactionalId":"a"}} payload: ${payload}`,
    )
  })
})

describe('a decoder', () => {
  it('shows keys and values without --print-data-log, and goes on behind a record that it is not for', async () => {
    const path = logOf([
      { key: null, value: hex('0000') },
      { key: hex('0003000167'), value: null },
    ])
    const { stdout, stderr, exitCode } = await plog(['dump', '--offsets-decoder', path])
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/^plog: ERR_CORRUPT: .* position 0: the record at offset 0: it has no key, .*\n$/)
    const records = stdout.toString().match(/^\| .*/gm)
    expect(records).toHaveLength(2)
    expect(records?.[1]).toMatch(/ payload: <DELETE>$/)
  })

  it('class reads numbers', async () => {
    const path = logOf([{ key: hex('ffffffff'), value: hex('7fffffffffffffff00') }])
    const classes = ['--key-decoder-class', 'org.apache.kafka.tools.api.IntegerDecoder']
    classes.push('--value-decoder-class', 'org.apache.kafka.tools.api.LongDecoder')
    expect((await plog(['dump', ...classes, path])).stdout.toString()).toMatch(
      / key: -1 payload: 9223372036854775807\n$/,
    )
    const records = jsonLines(await plog(['dump', '--json', ...classes, path]))
    expect(records.at(-1)).toMatchObject({ key: -1, value: '9223372036854775807' })
  })

  it('class that is none of Kafkas is wrong usage', async () => {
    const args = ['dump', '--key-decoder-class', 'com.example.Mine', logOf([])]
    const { exitCode, stdout, stderr } = await plog(args)
    expect({ exitCode, stdout: stdout.toString() }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(/^plog: ERR_USAGE: .*com\.example\.Mine.* none of .*StringDecoder/)
  })
})
