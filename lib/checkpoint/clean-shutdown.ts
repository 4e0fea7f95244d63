/**
 * The marker of a log directory that was closed cleanly. Its existence is what
 * counts; the content is what a broker of 4.x writes.
 */

export const CLEAN_SHUTDOWN_FILE = '.kafka_cleanshutdown'
export const CLEAN_SHUTDOWN_CONTENT = '{"version":0,"brokerEpoch":-1}'
