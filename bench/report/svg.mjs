/** A vega-lite specification drawn as SVG, without a browser. */
import { parse, View } from 'vega'
import { compile } from 'vega-lite'

export async function svgOf(spec) {
  const view = new View(parse(compile(spec).spec), { renderer: 'none' })
  const svg = await view.toSVG()
  view.finalize()
  return `${svg}\n`
}
