// Command generate writes what is generated from the code: docs/openapi.json,
// docs/asyncapi.json, docs/events.md and the JSON Schemas of events and manifests.
// It refuses what would break those who rely on the files as they are now.
//
// It is a tool of the project and reads its sources, so it is no part of parley.
package main

import "github.com/alecthomas/kong"

func main() {
	var c Command
	parsed := kong.Parse(&c, kong.Name("generate"), kong.UsageOnError(),
		kong.Description("Write what is generated from the code: OpenAPI, JSON Schemas, the event catalogue."))
	parsed.FatalIfErrorf(parsed.Run())
}
