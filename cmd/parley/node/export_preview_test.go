//go:build !apache

package node_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

const previewPath = "/api/projects/" + mainApp + "/project-io/export/preview"

// preview is what the operation answers.
type preview struct {
	Success      bool
	Project      map[string]string
	Agents       []map[string]any
	Tools        []map[string]string
	Dependencies struct {
		Edges      []map[string]string
		Validation struct {
			Valid            bool
			Errors, Warnings []map[string]any
		}
	}
}

const emptyPreview = `"agents":[],"tools":[],"dependencies":{"edges":[],"validation":{"valid":true,"errors":[],"warnings":[]}}`

// Given agents that need each other, a tool and a workflow, when the export is previewed,
// then all of them are shown, and what is broken is named with its place.
func TestAnExportIsPreviewed(t *testing.T) {
	t.Parallel()
	w := newAgentsWorld(t)
	w.apply(t, "Tool", "tool-1", "Look up", fields{"projectId": mainApp, "type": "http", "url": "https://api.example.com/orders"})
	w.apply(t, "Workflow", "wf-1", "Renew", fields{"projectId": mainApp, "steps": []any{fields{"id": "find", "tool": "tool-1"}}})
	w.apply(t, "Tool", "tool-2", "Elsewhere", fields{"projectId": otherApp, "type": "code", "code": "return 1"})
	save := func(name, text string) {
		w.ask(t, "PUT", agentsPath+"/"+name+"/dsl", fields{"dslContent": text}).must(t, 200)
	}
	look := func() (p preview) {
		w.ask(t, "GET", "/api/projects/"+mainAlias+"/project-io/export/preview", nil).must(t, 200).into(t, &p)
		require.True(t, p.Success)
		return p
	}
	w.ask(t, "POST", agentsPath, fields{"name": "router", "dslContent": "DSL: 1\nAGENT: router\nGOAL: Route\nTOOLS:\n  find: {USE: tool-1}\n" +
		"  renew: {KIND: workflow, USE: wf-1}\nHANDOFF:\n  - TO: greeter\nDELEGATE:\n  - AGENT: greeter\n"}).must(t, 201)
	save("greeter", "DSL: 1\nAGENT: greeter\nFLOW:\n  START: bye\n  STEPS:\n    bye: {SAY: Bye, END: true}\n    alone: {SAY: x, END: true}\n")

	got := look()
	require.Equal(t, map[string]string{"name": got.Project["name"], "slug": "bot"}, got.Project)
	require.NotEmpty(t, got.Project["name"])
	require.Equal(t, []map[string]any{{"name": "greeter", "hasDslContent": true}, {"name": "router", "hasDslContent": true}}, got.Agents)
	require.Equal(t, []map[string]string{{"name": "Look up", "toolType": "http"}}, got.Tools)
	require.Equal(t, []map[string]string{{"from": "router", "to": "greeter", "type": "delegate"},
		{"from": "router", "to": "greeter", "type": "handoff"}, {"from": "router", "to": "Look up", "type": "tool"}}, got.Dependencies.Edges)
	v := got.Dependencies.Validation
	require.True(t, v.Valid)
	require.Empty(t, v.Errors)
	require.Equal(t, []map[string]any{{"agent": "greeter", "field": "FLOW.STEPS.alone", "line": 7., "column": 5., "code": "unreachable",
		"hint": "no step leads to alone"}}, v.Warnings)

	// What another project has is not there; one source does not parse.
	save("router", "DSL: 1\nAGENT: router\nGOAL: Route\nTOOLS:\n  find: {USE: tool-2}\nHANDOFF:\n  - TO: closer\n")
	save("greeter", "no: [yaml")
	got = look()
	require.Equal(t, []map[string]string{{"from": "router", "to": "closer", "type": "handoff"},
		{"from": "router", "to": "tool-2", "type": "tool"}}, got.Dependencies.Edges)
	v = got.Dependencies.Validation
	require.False(t, v.Valid)
	require.Empty(t, v.Warnings)
	require.Len(t, v.Errors, 3)
	broken := v.Errors[0]
	require.Equal(t, []any{"greeter", "", 1.}, []any{broken["agent"], broken["field"], broken["line"]})
	require.NotEmpty(t, broken["code"])
	require.NotEmpty(t, broken["hint"])
	require.GreaterOrEqual(t, broken["column"], 1.)
	require.Equal(t, []map[string]any{
		{"agent": "router", "field": "TOOLS.USE", "line": 5., "column": 3., "code": "unknown_tool", "hint": "the project has no tool tool-2"},
		{"agent": "router", "field": "HANDOFF.TO", "line": 7., "column": 5., "code": "unknown_agent", "hint": "the project has no agent closer"},
	}, v.Errors[1:])

	save("router", "DSL: 1\nAGENT: router\nGOAL: Route\n")
	save("greeter", greeting+"GOAL: Greet\n")
	require.True(t, look().Dependencies.Validation.Valid, "what was mended is compiled again")
}

// Who may see a preview, and of which project.
func TestWhoMayPreviewAnExport(t *testing.T) {
	t.Parallel()
	c := shared(t)
	w := c.tenant(t, "")
	empty := c.b.do(t, "GET", previewPath, nil, "auth", w.token(t)).must(t, 200)
	require.Contains(t, empty.Text, emptyPreview, "a project without anything")

	key := w.key(t, mainScope)
	require.Contains(t, c.b.do(t, "GET", previewPath, nil, "X-API-Key", key).must(t, 200).Text, emptyPreview)
	c.b.do(t, "GET", "/api/projects/"+otherApp+"/project-io/export/preview", nil, "X-API-Key", key).refused(t, 404, fault.NotFound)
	c.b.do(t, "GET", "/api/projects/nowhere/project-io/export/preview", nil, "auth", w.token(t)).refused(t, 404, fault.NotFound)

	w.scope(t, "as-viewer", "viewer", mainApp, access.AgentsView)
	c.b.do(t, "GET", previewPath, nil, "X-API-Key", w.key(t, "as-viewer")).refused(t, 403, fault.Forbidden)
	c.b.do(t, "GET", previewPath, nil).refused(t, 401, fault.Unauthorized)
	stranger := newAgentsWorld(t)
	stranger.apply(t, "Tool", "tool-1", "Of a stranger", fields{"projectId": mainApp, "type": "code", "code": "return 1"})
	require.Contains(t, c.b.do(t, "GET", previewPath, nil, "auth", w.token(t)).must(t, 200).Text, emptyPreview)
	c.b.do(t, "GET", "/api/projects/p-of-nobody/project-io/export/preview", nil, "auth", stranger.token(t)).refused(t, 404, fault.NotFound)
}
