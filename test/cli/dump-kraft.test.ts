/** KRaft's control records as `plog dump` reads them. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type KraftControlType, parseKraftRecord } from '../../lib/cli/dump/decode/kraft-records.js'
import { MessageError } from '../../lib/cli/dump/decode/message-reader.js'
import { fcOptions } from '../support/random.js'

const KRAFT: readonly KraftControlType[] = [
  'LEADER_CHANGE',
  'SNAPSHOT_HEADER',
  'SNAPSHOT_FOOTER',
  'KRAFT_VERSION',
  'KRAFT_VOTERS',
]

describe('control records of KRaft', () => {
  it('name voters with their directories and endpoints', () => {
    // Written by Kafka's LeaderChangeMessage.
    const leaderChange = Buffer.from(
      `00010000000503${'00000001'}${'11'.repeat(16)}00${'00000002'}${'00'.repeat(16)}000100`,
      'hex',
    )
    expect(parseKraftRecord('LEADER_CHANGE', leaderChange)).toEqual({
      version: 1,
      leaderId: 5,
      voters: [
        { voterId: 1, voterDirectoryId: 'EREREREREREREREREREREQ' },
        { voterId: 2, voterDirectoryId: 'AAAAAAAAAAAAAAAAAAAAAA' },
      ],
      grantingVoters: [],
    })
    const endpoint = `02${'0a504c41494e54455854'}${'0268'}c35000`
    const voters = Buffer.from(`000002${'00000001'}${'00'.repeat(16)}${endpoint}0000000100${'00'}00`, 'hex')
    expect(parseKraftRecord('KRAFT_VOTERS', voters)).toMatchObject({
      voters: [
        {
          voterId: 1,
          endpoints: [{ name: 'PLAINTEXT', host: 'h', port: 50_000 }],
          kRaftVersionFeature: { minSupportedVersion: 0, maxSupportedVersion: 1 },
        },
      ],
    })
  })

  it('may carry tagged fields that are not known', () => {
    expect(parseKraftRecord('KRAFT_VERSION', Buffer.from('00000001010903aabbcc', 'hex'))).toEqual({
      version: 0,
      kRaftVersion: 1,
    })
  })

  it('of a version that is not known are read as the one that is, as by Kafka', () => {
    expect(parseKraftRecord('SNAPSHOT_FOOTER', Buffer.from('000700', 'hex'))).toEqual({ version: 7 })
  })

  it('are refused where the bytes are none, and never make a list longer than the bytes', () => {
    fc.assert(
      fc.property(fc.constantFrom(...KRAFT), fc.uint8Array({ maxLength: 60 }), (type, bytes) => {
        try {
          parseKraftRecord(type, Buffer.from([0, 0, ...bytes]))
        } catch (error) {
          if (!(error instanceof MessageError)) throw error
        }
      }),
      fcOptions(500),
    )
    expect(() => parseKraftRecord('KRAFT_VOTERS', Buffer.from('0000ffffffff07', 'hex'))).toThrow(
      /collection of size \d+, but there are only 0 bytes/,
    )
    expect(() => parseKraftRecord('SNAPSHOT_FOOTER', null)).toThrow(MessageError)
  })
})
