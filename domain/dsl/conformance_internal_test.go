package dsl

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// elsewhere is whether a schema needs another one, which the schema of a tool must not: it is refused
// when a source is compiled.
func elsewhere(schema any) bool {
	text, _ := json.Marshal(schema)
	return strings.Contains(string(text), "http://localhost:1234")
}

// Given the cases of the JSON Schema Test Suite for 2020-12, as a module that we have carries them,
// then PARAMS and RESULT take and refuse what the suite says.
func TestConformanceOfSchemas(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "jsonschema/testdata/draft2020-12/*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	agreed, refused := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var groups []struct {
			Description string
			Schema      json.RawMessage
			Tests       []struct {
				Description string
				Data        json.RawMessage
				Valid       bool
			}
		}
		require.NoError(t, json.Unmarshal(text, &groups), file)
		for _, g := range groups {
			name := strings.TrimSuffix(filepath.Base(file), ".json") + "/" + g.Description
			s, err := newSchema(decodedCase(t, g.Schema))
			if err != nil {
				refused++
				assert.True(t, elsewhere(decodedCase(t, g.Schema)), "%s: %v", name, err)
				continue
			}
			for _, c := range g.Tests {
				fits := s.Check(decodedCase(t, c.Data)) == nil
				assert.Equal(t, c.Valid, fits, "%s: %s", name, c.Description)
				agreed++
			}
		}
	}
	require.GreaterOrEqual(t, agreed, 1_055)
	require.LessOrEqual(t, refused, 20)
}

func decodedCase(t *testing.T, raw json.RawMessage) (v any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(raw, &v))
	return v
}
