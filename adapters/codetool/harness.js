(() => {
  const parse = JSON.parse, stringify = JSON.stringify, keys = Object.keys, values = Object.values, text = String
  const AsyncFunction = (async () => {}).constructor
  let told
  const failed = e => { told = [false, e === null ? null : text(e)] }
  return given => {
    if (given === undefined) return told
    const { source, names } = parse(given)
    let program
    try {
      program = AsyncFunction(...keys(names), '"use strict";\n' + source)
    } catch (e) {
      failed(e)
      return
    }
    program(...values(names)).then(v => { told = [true, stringify(v)] }).catch(failed)
  }
})()
