// Command bench measures Parley: the write path, projection, rebuild, queries and memory,
// each figure beside its ceiling of the same run. docs/benchmarks.md tells how to read it.
//
// It is a tool of the project and no part of parley. The write path is measured in its own
// process, which holds a node as parley does; queries and memory are those of a parley that
// it starts.
package main

import (
	"github.com/alecthomas/kong"

	"github.com/parley-platform/parley/cmd/parley/node"
)

func main() {
	node.CollectByLoad()
	var c Command
	parsed := kong.Parse(&c, kong.Name("bench"), kong.UsageOnError(), kong.DefaultEnvars("PARLEY"),
		kong.Description("Measure the write path, projection, rebuild, queries and memory, each beside its ceiling of the same run."))
	parsed.FatalIfErrorf(parsed.Run())
}
