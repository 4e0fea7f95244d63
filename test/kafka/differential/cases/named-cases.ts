/** All scripts with a name. */
import { cleaning } from './cleaning.js'
import { codecs } from './codecs.js'
import { crashes } from './crashes.js'
import { cuts } from './cuts.js'
import { followers } from './followers.js'
import { found } from './found.js'
import type { NamedCase } from './named-case.js'
import { producers } from './producers.js'
import { reads } from './reads.js'
import { refusals } from './refusals.js'
import { retention } from './retention.js'
import { rolls } from './rolls.js'
import { sizes } from './sizes.js'

export const NAMED_CASES: readonly NamedCase[] = [
  ...rolls,
  ...sizes,
  ...refusals,
  ...followers,
  ...cuts,
  ...crashes,
  ...reads,
  ...codecs,
  ...retention,
  ...producers,
  ...cleaning,
  ...found,
]
