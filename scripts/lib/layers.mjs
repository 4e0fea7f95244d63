/**
 * Applies the tables of check-layers.mjs to a tree and lists every breach.
 *
 * Reads files and answers; prints nothing, knows no rule of its own. Paths in
 * rules are relative to lib/ or native/, with forward slashes.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join, posix } from 'node:path'
import { bareLines, importsOf, includesOf } from './imports.mjs'

/** @returns {{breaches: string[], files: number, medianLines: number}} */
export function checkTree(root, rules) {
  const lib = readSources(root, 'lib', /\.ts$/)
  const native = readSources(root, 'native', /\.(cc|h)$/)
  const breaches = [
    ...lib.flatMap((file) => [...importBreaches(file, rules), ...ambientBreaches(file, rules)]),
    ...cycles(lib),
    ...native.flatMap((file) => includeBreaches(file, rules)),
    ...[...lib, ...native].flatMap((file) => lengthBreaches(file, rules)),
  ]
  return { breaches, files: lib.length + native.length, medianLines: median([...lib, ...native]) }
}

function readSources(root, folder, wanted) {
  if (!existsSync(join(root, folder))) return []
  const paths = readdirSync(join(root, folder), { recursive: true }).map((path) =>
    String(path).replaceAll('\\', '/'),
  )
  return paths
    .filter((path) => wanted.test(path))
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, folder, path), 'utf8')
      return {
        path,
        shown: `${folder}/${path}`,
        text,
        lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
      }
    })
}

function importBreaches(file, rules) {
  return importsOf(file.text).flatMap(({ specifier, line }) => {
    const rule = brokenRule(file.path, specifier, rules)
    return rule === null ? [] : [`${file.shown}:${line}: ${rule}`]
  })
}

/** @returns {string | null} the rule that this import breaks */
function brokenRule(path, specifier, rules) {
  if (specifier.startsWith('.')) return brokenArrow(path, targetOf(path, specifier), rules)
  const module = specifier.replace(/^node:/, '')
  if (specifier.startsWith('node:') || builtinModules.includes(module))
    return brokenMachineRule(path, module, rules)
  return rules.packagesAllowed.test(path) ? null : `package ${specifier} may not be imported here`
}

function brokenArrow(path, target, rules) {
  const from = layerOf(path, rules)
  const to = layerOf(target, rules)
  if (from === undefined) return 'this file belongs to no layer'
  if (to === undefined) return `imports ${target}, which belongs to no layer`
  if (from === to || from.mayImport.includes(to.name)) return null
  return `${from.name} may not import ${to.name} (${target})`
}

function brokenMachineRule(path, module, rules) {
  if (rules.pureModules.includes(module.split('/')[0])) return null
  const allowed = rules.machineAllowed.some(
    (rule) => (rule.module ?? module) === module && rule.files.test(path),
  )
  return allowed ? null : `node:${module} touches the machine and may not be imported here`
}

function layerOf(path, rules) {
  return rules.layers.find((layer) => layer.files.test(path))
}

/** The source file that `./x.js` means, relative to lib/. */
function targetOf(path, specifier) {
  return posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts')
}

function ambientBreaches(file, rules) {
  if (rules.ambientAllowed.test(file.path)) return []
  return bareLines(file.text).flatMap((text, index) => {
    const match = rules.ambient.exec(text)
    return match === null
      ? []
      : [`${file.shown}:${index + 1}: ${match[0]} is injected, never taken from the runtime here`]
  })
}

function includeBreaches(file, rules) {
  if (!rules.nativeCore.test(file.path)) return []
  return includesOf(file.text)
    .filter(({ specifier }) => rules.nativeCoreForbidden.test(specifier))
    .map(({ specifier, line }) => `${file.shown}:${line}: the native core may not include ${specifier}`)
}

function lengthBreaches(file, rules) {
  if (file.lines <= rules.maxLines || rules.longFiles[file.shown] !== undefined) return []
  return [`${file.shown}:${rules.maxLines + 1}: ${file.lines} lines, at most ${rules.maxLines} are allowed`]
}

/** One line for each cycle of imports, found where a walk meets a file that is still being walked. */
function cycles(files) {
  const imports = new Map(files.map((file) => [file.path, localImports(file)]))
  const done = new Set()
  const found = []
  const walk = (path, trail) => {
    if (trail.includes(path)) return found.push([...trail.slice(trail.indexOf(path)), path])
    if (done.has(path)) return
    for (const next of imports.get(path) ?? []) walk(next, [...trail, path])
    done.add(path)
  }
  for (const { path } of files) walk(path, [])
  return found.map((cycle) => `lib/${cycle[0]}:1: import cycle: ${cycle.join(' -> ')}`)
}

function localImports(file) {
  const local = importsOf(file.text).filter(({ specifier, runs }) => runs && specifier.startsWith('.'))
  return local.map(({ specifier }) => targetOf(file.path, specifier))
}

function median(files) {
  const lines = files.map((file) => file.lines).sort((a, b) => a - b)
  return lines[lines.length >> 1] ?? 0
}
