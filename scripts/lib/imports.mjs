/**
 * Finds what a source file imports or includes, by regular expressions.
 *
 * Enough for code that a formatter has been over: comments are blanked first,
 * so an import in a doc comment does not count, and lines keep their numbers.
 */

const COMMENT_OR_STRING =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g
const STATIC = /^[ \t]*(?:import|export)\b[^'"`;]*?\bfrom\s*(['"])([^'"]+)\1/gm
const BARE = /^[ \t]*import\s*(['"])([^'"]+)\1/gm
const DYNAMIC = /\b(?:import|require)\s*\(\s*(['"])([^'"]+)\1/g
const WORKER = /\bnew URL\(\s*(['"])(\.[^'"]+)\1\s*,\s*import\.meta\.url/g
const INCLUDE = /^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]/gm

/** @returns {{specifier: string, line: number, runs: boolean}[]} `runs`: importing also runs it in this thread */
export function importsOf(text) {
  const code = text.replace(COMMENT_OR_STRING, (token) => (token.startsWith('/') ? blank(token) : token))
  const found = [STATIC, BARE, DYNAMIC].flatMap((pattern) => matches(code, pattern, true))
  return [...found, ...matches(code, WORKER, false)]
}

/** @returns {{specifier: string, line: number}[]} */
export function includesOf(text) {
  return matches(text.replace(/\/\*[\s\S]*?\*\//g, blank), INCLUDE, true)
}

/** @returns {string[]} the lines with comments and the insides of strings blanked */
export function bareLines(text) {
  return text.replace(COMMENT_OR_STRING, blank).split('\n')
}

function blank(token) {
  return token.replace(/[^\n]/g, ' ')
}

function matches(code, pattern, runs) {
  return [...code.matchAll(pattern)].map((match) => {
    const specifier = match[2]
    const end = match.index + match[0].length
    return { specifier, line: code.slice(0, end).split('\n').length, runs }
  })
}
