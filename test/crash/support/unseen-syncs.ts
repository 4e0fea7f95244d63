/**
 * Syncs whose absence no power failure can show, each with the reason why it
 * is there all the same. Every other one has to be missed when it is left out.
 */
export const UNSEEN_SYNCS: Readonly<Record<string, string>> = {}
