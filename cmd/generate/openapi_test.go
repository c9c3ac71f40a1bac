package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	nodeslices "github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/handlers/rest"
)

type told struct {
	Servers  []struct{ URL string }
	Tags     []struct{ Name, Description string }
	Paths    map[string]map[string]documentedOperation
	Webhooks map[string]map[string]documentedOperation

	Components struct {
		Schemas map[string]struct {
			Properties map[string]json.RawMessage
			Required   []string
		}
	}
}

func documentOf(t *testing.T, cfg rest.Config) (out told) {
	t.Helper()
	data, err := nodeslices.Declare(rest.New(cfg), nodeslices.Declared()).OpenAPI()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &out))
	return out
}

// documentedOperation is what is looked at of an operation.
type documentedOperation struct {
	Tags        []string
	Description string
}

func TestEveryOperationAndTagIsDescribed(t *testing.T) {
	d, known := documentOf(t, rest.Config{}), map[string]bool{}
	for _, tag := range d.Tags {
		require.NotEmpty(t, tag.Description, tag.Name)
		known[tag.Name] = true
	}
	require.Len(t, d.Webhooks, 5)
	for _, items := range []map[string]map[string]documentedOperation{d.Paths, d.Webhooks} {
		for path, methods := range items {
			for _, op := range methods {
				require.Len(t, op.Tags, 1, path)
				require.NotEmpty(t, op.Description, "%s: the linters of the document want a description of each operation", path)
				require.True(t, known[op.Tags[0]], "%s has the tag %q: describe it in handlers/rest/document/tags.go", path, op.Tags[0])
			}
		}
	}
}

func TestTheDocumentSaysWhereTheServiceIs(t *testing.T) {
	for public, want := range map[string]string{"": "http://127.0.0.1:8080", "https://api.example.com": "https://api.example.com",
		"https://example.com/parley/": "https://example.com/parley"} {
		require.Equal(t, []struct{ URL string }{{want}}, documentOf(t, rest.Config{PublicURL: public}).Servers)
	}
}

// A list that no document shows answers success, its items and pagination (docs/api-rules.md).
func TestEveryListWithPaginationSaysSuccess(t *testing.T) {
	lists := 0
	for name, schema := range documentOf(t, rest.Config{}).Components.Schemas {
		if schema.Properties["pagination"] != nil {
			lists++
			require.Contains(t, schema.Required, "success", name)
		}
	}
	require.Greater(t, lists, 10)
}
