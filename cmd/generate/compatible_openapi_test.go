package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A callers' API may grow; what they use stays, unless somebody says why not.
func TestGenerateRefusesWhatBreaksCallers(t *testing.T) {
	dir := generated(t, openAPIFile, func(s string) string {
		return strings.Replace(s, `"paths": {`, `"paths": {"/old": {"get": {"operationId": "old", "responses": {}}},`, 1)
	})
	err := (&Command{Dir: dir}).Run()
	require.ErrorContains(t, err, "GET /old: api path removed")
	require.ErrorContains(t, err, "--breaking REASON")
	require.NoError(t, putMade(&Command{Dir: dir, Breaking: "nobody calls it"}))
	require.NoError(t, putMade(&Command{Dir: dir}))
}

func TestChangesOfTheAPIThatCallersNotice(t *testing.T) {
	const in, out = `"In": {"type": "object", "properties": {`, `"Out": {"type": "object", "required": ["id"], "properties": {`
	const q = `,
			{"in": "query", "name": "q", "schema": {"type": "string"}}`
	const old = `{"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": {"/x": {"post": {"operationId": "x",
		"parameters": [{"in": "query", "name": "limit", "schema": {"type": "integer"}},
			{"in": "query", "name": "q", "schema": {"type": "string"}}],
		"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/In"}}}},
		"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Out"}}}}}}}},
		"components": {"schemas": {
			` + in + `"kind": {"type": "string", "enum": ["a", "b"]}, "name": {"type": "string"}, "self": {"$ref": "#/components/schemas/In"}}},
			` + out + `"id": {"type": "string"}, "state": {"type": "string", "enum": ["on"], "maxLength": 4},
				"list": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}}}}}}}`
	for name, c := range map[string]struct{ was, is, want string }{
		"an operation goes": {`"post"`, `"put"`, "api-removed-without-deprecation"},
		"a parameter becomes required": {`"name": "limit"`, `"name": "limit", "required": true`,
			"request-parameter-became-required"},
		"a required parameter comes": {`"parameters": [`, `"parameters": [{"in": "query", "name": "p", "required": true, "schema": {}}, `,
			"new-required-request-parameter"},
		"a parameter is another type": {`"name": "q", "schema": {"type": "string"}`, `"name": "q", "schema": {"type": "integer"}`,
			"request-parameter-type-changed"},
		"a parameter goes": {q, ``, "request-parameter-removed"},
		"a member becomes required": {in, `"In": {"type": "object", "required": ["name"], "properties": {`,
			"request-property-became-required"},
		"a body becomes required": {`"requestBody": {`, `"requestBody": {"required": true, `, "request-body-became-required"},
		"a value is refused":      {`["a", "b"]`, `["a"]`, "request-property-enum-value-removed"},
		"some values only": {`"name": {"type": "string"}`, `"name": {"type": "string", "enum": ["x"]}`,
			"request-property-became-enum"},
		"shorter values only": {`"name": {"type": "string"}`, `"name": {"type": "string", "maxLength": 3}`,
			"request-property-max-length-set"},
		"a request's member is retyped": {`"name": {"type": "string"}`, `"name": {"type": "integer"}`,
			"request-property-type-changed"},
		"another request's media type": {`"requestBody": {"content": {"application/json"`, `"requestBody": {"content": {"text/csv"`,
			"request-body-media-type-removed"},
		"a member of answers goes": {`"required": ["id"], "properties": {"id": {"type": "string"}, `, `"properties": {`,
			"response-required-property-removed"},
		"one that may be absent goes": {`"properties": {"n": {"type": "integer"}}`, `"properties": {}`,
			"response-optional-property-removed"},
		"one is renamed":             {`{"n": {`, `{"m": {`, "response-optional-property-removed"},
		"a member may be absent now": {`"required": ["id"], `, ``, "response-property-became-optional"},
		"a member may be null now": {`"id": {"type": "string"}`, `"id": {"type": ["string", "null"]}`,
			"response-property-became-nullable"},
		"a member of answers is retyped": {`{"n": {"type": "integer"}`, `{"n": {"type": "number"}`,
			"response-property-type-generalized"},
		"a response goes": {`"200"`, `"204"`, "response-success-status-removed"},
		"another media type of an answer": {`"200": {"content": {"application/json"`, `"200": {"content": {"text/csv"`,
			"response-media-type-removed"},

		"a member that may be left out comes": {`"name": {"type": "string"}`, `"name": {"type": "string"}, "more": {"type": "string"}`,
			""},
		"a parameter that may be left out comes": {`"parameters": [`, `"parameters": [{"in": "query", "name": "p", "schema": {}}, `,
			""},
		"more values are taken": {`["a", "b"]`, `["a", "b", "c"]`, ""},
		"text is taken, not only numbers": {`"name": "limit", "schema": {"type": "integer"}`, `"name": "limit", "schema": {"type": "string"}`,
			""},
		"an answer has a new member": {`"id": {"type": "string"}`, `"id": {"type": "string"}, "more": {"type": "string"}`,
			""},
		"an answer has a new value":   {`["on"]`, `["on", "off"]`, ""},
		"an answer has longer values": {`, "maxLength": 4`, ``, ""},
		"nothing changes":             {old, old, ""},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, 1, strings.Count(old, c.was), "the change is not clear")
			found, err := openAPIChanges([]byte(old), []byte(strings.Replace(old, c.was, c.is, 1)))
			require.NoError(t, err)
			if c.want == "" {
				require.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			require.Contains(t, found[0], " /x: ")
			require.Contains(t, found[0], "("+c.want+")")
		})
	}
}

// The real document is one that oasdiff reads, down to what is in its schemas.
func TestChangesOfTheCommittedDocumentAreFound(t *testing.T) {
	committed, err := os.ReadFile(filepath.Join(project, openAPIFile))
	require.NoError(t, err)
	same, err := openAPIChanges(committed, committed)
	require.NoError(t, err)
	require.Empty(t, same)
	without := strings.ReplaceAll(string(committed), `"machineDetection": {`, `"detection": {`)
	require.NotEqual(t, string(committed), without)
	found, err := openAPIChanges(committed, []byte(without))
	require.NoError(t, err)
	require.Contains(t, strings.Join(found, "\n"), "removed the request property `machineDetection`")

	_, err = openAPIChanges([]byte("{"), committed)
	require.ErrorContains(t, err, "the OpenAPI document on disk")
}

// Given two spellings of one member, then the document shows one of them: in clients that are made of it both have one name.
func TestNoSchemaHasOneNameTwice(t *testing.T) {
	written, err := os.ReadFile(filepath.Join(project, openAPIFile))
	require.NoError(t, err)
	var document struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]json.RawMessage }
		}
	}
	require.NoError(t, json.Unmarshal(written, &document))
	require.NotEmpty(t, document.Components.Schemas)
	for schema, s := range document.Components.Schemas {
		names := map[string]string{}
		for member := range s.Properties {
			name := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(member))
			require.Empty(t, names[name], "%s has it as %s as well: hide one of them (hidden:\"true\")", schema, member)
			names[name] = member
		}
	}
}
