import { expect, test } from 'vitest'
import { errnoName, toIoError } from '../../lib/backend/node-error.js'

test.runIf(process.platform === 'linux')(
  'a full quota is a full disk, though libuv has no name for it',
  () => {
    expect(errnoName(-122)).toBe('EDQUOT')
    const error = Object.assign(new Error('x'), {
      errno: -122,
      code: 'Unknown system error -122',
      syscall: 'write',
    })
    expect(toIoError(error, 'a.log')).toMatchObject({ code: 'ERR_DISK_FULL', errno: 'EDQUOT', path: 'a.log' })
  },
)

test('what does not come from the system stays as it is', () => {
  const wrong = new TypeError('x')
  expect(toIoError(wrong, 'a.log')).toBe(wrong)
})
