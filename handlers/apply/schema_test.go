package apply_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	compiler "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/examples"
	"github.com/parley-platform/parley/handlers/apply"
	"github.com/parley-platform/parley/handlers/apply/manifest"
)

var update = flag.Bool("update", false, "write the committed schemas anew")

const schemasFolder = "../../docs/schemas/manifests"

// Editors check manifests with the committed files, the server with the code's.
func TestCommittedSchemasEqualTheCode(t *testing.T) {
	schemas := apply.Schemas()
	require.Len(t, schemas, len(apply.Kinds()))
	for kind, schema := range schemas {
		file := filepath.Join(schemasFolder, kind+".json")
		if *update {
			require.NoError(t, os.MkdirAll(schemasFolder, 0o755))
			require.NoError(t, os.WriteFile(file, schema, 0o644))
		}
		committed, err := os.ReadFile(file)
		require.NoError(t, err, "run: go test ./handlers/apply -run Schemas -update")
		require.Equal(t, string(committed), string(schema), "%s differs from the code; run: go test ./handlers/apply -run Schemas -update", file)
	}
	files, err := filepath.Glob(filepath.Join(schemasFolder, "*.json"))
	require.NoError(t, err)
	require.Len(t, files, len(schemas), "a schema of a kind that is gone is still committed")
}

func TestSchemasSayEverything(t *testing.T) {
	for kind, schema := range apply.Schemas() {
		require.Equal(t, schema, apply.Schemas()[kind], "the same bytes each time")
		var doc map[string]any
		require.NoError(t, json.Unmarshal(schema, &doc))
		require.Equal(t, "https://github.com/parley-platform/parley/docs/schemas/manifests/"+kind+".json", doc["$id"])
		require.NotEmpty(t, doc["description"])
		closed(t, kind, doc)
	}
}

// closed looks at every object that names its members.
func closed(t *testing.T, where string, s map[string]any) {
	properties, ok := s["properties"].(map[string]any)
	if !ok {
		return
	}
	require.Equal(t, false, s["additionalProperties"], "%s takes members that are not known", where)
	for name, p := range properties {
		member := p.(map[string]any)
		if where[len(where)-1] != 's' && name != "kind" && name != "spec" { // permissions speak for themselves
			require.NotEmpty(t, member["description"], "%s.%s", where, name)
		}
		closed(t, where+"."+name, member)
	}
}

func TestTheExampleFitsTheSchemas(t *testing.T) {
	manifests, err := manifest.Parse("workspace.yaml", examples.Workspace, apply.Kinds())
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, m := range manifests {
		seen[m.Kind] = true
		c := compiler.NewCompiler()
		doc, err := compiler.UnmarshalJSON(bytes.NewReader(apply.Schemas()[m.Kind]))
		require.NoError(t, err)
		require.NoError(t, c.AddResource("schema.json", doc))
		whole, err := json.Marshal(map[string]any{"kind": m.Kind, "metadata": m.Metadata, "spec": m.Spec})
		require.NoError(t, err)
		instance, err := compiler.UnmarshalJSON(bytes.NewReader(whole))
		require.NoError(t, err)
		require.NoError(t, c.MustCompile("schema.json").Validate(instance))
	}
	require.Len(t, seen, len(apply.Kinds()), "the example shows every kind")
}
