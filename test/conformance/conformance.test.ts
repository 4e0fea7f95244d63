/** The contract between engine and backend, on the backend that this run is for. */
import { backendUnderTest } from '../support/backend.js'
import { describeCrc32c } from './crc32c.js'
import { describeCutFile } from './cut-file.js'
import { describeDirectoryLock } from './directory-lock.js'
import { describeDiskFull } from './disk-full.js'
import { describeIndexFile } from './index-file.js'
import { describeLane } from './lane.js'
import { describeLogFile } from './log-file.js'
import { describeOffsetMap } from './offset-map.js'
import { describeReading } from './reading.js'
import { describeRecordCopy } from './record-copy.js'
import { describeRecordParse } from './record-parse.js'
import { describeScan } from './scan.js'
import { describeSpareFiles } from './spare-files.js'

describeCrc32c(backendUnderTest)
describeLogFile(backendUnderTest)
describeDiskFull(backendUnderTest)
describeIndexFile(backendUnderTest)
describeReading(backendUnderTest)
describeScan(backendUnderTest)
describeCutFile(backendUnderTest)
describeLane(backendUnderTest)
describeSpareFiles(backendUnderTest)
describeDirectoryLock(backendUnderTest)
describeRecordParse(backendUnderTest)
describeRecordCopy(backendUnderTest)
describeOffsetMap(backendUnderTest)
