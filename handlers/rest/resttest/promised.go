package resttest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/handlers/rest"
)

// document is what is read of an OpenAPI document.
type document struct {
	Paths      map[string]map[string]any `json:"paths"`
	Components struct {
		Schemas map[string]any `json:"schemas"`
	} `json:"components"`
}

// Promised holds the operations that a group declares to docs/openapi.json, which is what
// callers were promised: parameters, bodies, answers, tags, refusals, and the schemas
// that these lead to.
func Promised(t *testing.T, declare func(*rest.API)) {
	t.Helper()
	api := rest.New(rest.Config{})
	declare(api)
	committed, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "openapi.json")) // of a group's folder
	require.NoError(t, err)
	text, err := api.OpenAPI()
	require.NoError(t, err)
	declared, promised := documentOf(t, text), documentOf(t, committed)
	require.NotEmpty(t, declared.Paths, "nothing was declared")
	for path, operations := range declared.Paths {
		for method, operation := range operations {
			require.Equal(t, promised.Paths[path][method], operation, "%s %s", method, path)
		}
	}
	for name, schema := range declared.Components.Schemas {
		require.Equal(t, promised.Components.Schemas[name], schema, "the schema %s", name)
	}
}

func documentOf(t *testing.T, text []byte) (d document) {
	t.Helper()
	require.NoError(t, json.Unmarshal(text, &d))
	return d
}
