package rest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

type document struct {
	OpenAPI    string                                `json:"openapi"`
	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Components struct {
		Schemas map[string]struct {
			Required             []string
			Properties           map[string]json.RawMessage
			AdditionalProperties any
		}
	}
}

func TestTheDocumentIsTheSameEachTime(t *testing.T) {
	first, err := resttest.NewWorld(t).Api.OpenAPI()
	require.NoError(t, err)
	for range 5 {
		again, err := resttest.NewWorld(t).Api.OpenAPI()
		require.NoError(t, err)
		require.Equal(t, string(first), string(again))
	}
	w := resttest.NewWorld(t)
	require.Equal(t, string(first), w.Call(http.MethodGet, "/openapi.json", "").Text)
	require.Equal(t, string(first), w.Call(http.MethodGet, "/openapi.json", "").Text)
}

func TestTheDocumentTellsWhatWasDeclared(t *testing.T) {
	var doc document
	w := resttest.NewWorld(t)
	w.Call(http.MethodGet, "/openapi.json", "").Decode(t, &doc)
	require.Regexp(t, `^3\.1\.`, doc.OpenAPI)
	require.Len(t, w.Api.Operations(), 6)
	for _, op := range w.Api.Operations() {
		require.Contains(t, doc.Paths[op.Path], strings.ToLower(op.Method), op.ID)
	}

	var op struct {
		Extension   bool                  `json:"x-extension"`
		Requirement string                `json:"x-requirement"`
		Security    []map[string][]string `json:"security"`
		Responses   map[string]any        `json:"responses"`
	}
	require.NoError(t, json.Unmarshal(doc.Paths["/sessions"]["get"], &op))
	require.True(t, op.Extension)
	require.Contains(t, op.Requirement, `"session:read"`)
	require.Len(t, op.Security, 4, "x-api-key, auth, token, bearer")

	op.Extension, op.Responses = false, nil
	require.NoError(t, json.Unmarshal(doc.Paths["/calls/{botId}"]["post"], &op))
	require.False(t, op.Extension)
	require.Len(t, op.Security, 3, "no API key")
	for _, status := range []string{"200", "400", "401", "403", "404", "413", "429", "500", "503"} {
		require.Contains(t, op.Responses, status)
	}
	require.NotContains(t, op.Responses, "422")
	require.Regexp(t, `"name": "appId"`, string(doc.Paths["/apps/{appId}/keys"]["post"]), "also what only Resolve reads")
	require.Equal(t, 1, strings.Count(string(doc.Paths["/calls/{botId}"]["post"]), `"name": "botId"`))
	require.Contains(t, string(doc.Paths["/calls/{botId}"]["post"]), "Idempotency-Key")
	require.NotContains(t, op.Responses, "default")

	require.Equal(t, []string{"target"}, doc.Components.Schemas["CallRequest"].Required)
	require.NotEqual(t, false, doc.Components.Schemas["CallRequest"].AdditionalProperties)
	for name, schema := range doc.Components.Schemas {
		require.NotContains(t, schema.Properties, "$schema", name)
	}
	require.NotContains(t, w.Call(http.MethodPost, "/calls/p-1", `{"target":"a"}`, "auth", w.Token()).Text, "$schema")
}

// The page and what it loads are served by the node itself, below its own name only.
func TestThePageIsServed(t *testing.T) {
	w := resttest.NewWorld(t)
	for path, contentType := range map[string]string{"/docs": "text/html", "/docs/": "text/html", "/docs/scalar.js": "javascript",
		"/docs/page.js": "javascript", "/docs/page.css": "text/css", "/docs/LICENSE": "text/plain"} {
		got := w.Call(http.MethodGet, path, "")
		require.Equal(t, 200, got.Status)
		require.Contains(t, got.Header.Get("Content-Type"), contentType)
	}
	require.Equal(t, 404, w.Call(http.MethodGet, "/docs/../api.go", "").Status)
}

func TestOperationsAreListed(t *testing.T) {
	for _, op := range resttest.NewWorld(t).Api.Operations() {
		require.True(t, op.Requirement.Stated(), op.ID)
		require.EqualValues(t, rest.MaxBody, op.MaxBody)
	}
}

func TestTheDocumentTellsCodesOfOneStatusApart(t *testing.T) {
	w := resttest.NewWorld(t)
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct{ Description string }
		}
	}
	got := w.Call(http.MethodGet, "/openapi.json", "")
	require.NoError(t, json.Unmarshal([]byte(got.Text), &doc), got.Text)
	seen := 0
	for path, methods := range doc.Paths {
		for method, op := range methods {
			seen++
			failed := op.Responses["500"].Description
			require.Contains(t, failed, "`INTERNAL_ERROR`: ", path)
			require.Equal(t, method != "get", strings.Contains(failed, "`PROJECTION_FAILED`: the change is recorded, do not repeat it"), "%s %s",
				method, path)
			require.Equal(t, method != "get", strings.Contains(op.Responses["503"].Description, "`OUTCOME_UNKNOWN`: "), "%s %s", method, path)
			require.NotEmpty(t, op.Responses["400"].Description)
			require.NotEmpty(t, op.Responses["404"].Description)
		}
	}
	require.Positive(t, seen)
}

func TestReadyButDegradedIsReady(t *testing.T) {
	w := resttest.NewWorld(t, func(c *rest.Config) {
		c.Ready = func(context.Context) []rest.Part {
			return []rest.Part{{Name: "projections", Ready: true, Degraded: true, Detail: map[string]int{"interactions": 2}},
				{Name: "kafka", Ready: true}}
		}
	})
	got := w.Call(http.MethodGet, "/readyz", "")
	require.Equal(t, 200, got.Status)
	require.JSONEq(t,
		`{"ready":true,"degraded":true,"parts":[{"name":"projections","ready":true,"degraded":true,"detail":{"interactions":2}},
			{"name":"kafka","ready":true}]}`, got.Text)
}
