(() => {
  const parse = JSON.parse, stringify = JSON.stringify, keys = Object.keys, values = Object.values, text = String
  const freeze = Object.freeze, Promise_ = Promise
  const AsyncFunction = (async () => {}).constructor
  let told
  const failed = e => { told = [false, e === null ? null : text(e)] }

  class MemoryError extends Error {
    constructor({ code, message, field }) {
      super(code + ": " + message)
      this.name = "MemoryError"
      this.code = code
      if (field) this.field = field
    }
  }

  // What the program wants of its memory, one behind the other: the first is being done.
  let first, last
  const use = (action, store, content, version) => new Promise_((resolve, reject) => {
    const wanted = { what: stringify({ action, store, content, version }), resolve, reject }
    if (first) last = last.next = wanted
    else first = last = wanted
  })
  const memory = freeze({
    get: store => use("get", store),
    set: (store, content, version) => use("set", store, content, version),
    delete: (store, version) => use("delete", store, undefined, version),
  })
  const done = ({ value, error }) => {
    const { resolve, reject } = first
    first = first.next
    if (error) reject(new MemoryError(error))
    else resolve(value)
  }

  return given => {
    if (given === undefined) return first ? [null, first.what] : told
    const { source, names, remembers, used } = parse(given)
    if (used) {
      done(used)
      return
    }
    let program
    try {
      program = AsyncFunction(...keys(names), ...(remembers ? ["memory"] : []), '"use strict";\n' + source)
    } catch (e) {
      failed(e)
      return
    }
    program(...values(names), memory).then(v => { told = [true, stringify(v)] }).catch(failed)
  }
})()
