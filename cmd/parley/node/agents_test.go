package node_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/fault"
)

const (
	agentsPath = "/api/projects/" + mainApp + "/agents"
	greeting   = "DSL: 1\nAGENT: greeter\nON_START: {SAY: Hello}\n"
)

// agentsWorld is a tenant with an agent of the same name in each of its projects.
type agentsWorld struct {
	*cluster
	*tenant
	auth string
}

func newAgentsWorld(t *testing.T) *agentsWorld {
	c := shared(t)
	w := &agentsWorld{cluster: c, tenant: c.tenant(t, "")}
	w.apply(t, "Agent", "a-1", "greeter", fields{"projectId": mainApp, "dslContent": greeting, "description": "Says hello"})
	w.apply(t, "Agent", "a-2", "greeter", fields{"projectId": otherApp, "dslContent": "AGENT: greeter\n"})
	w.apply(t, "Agent", "a-3", "closer", fields{"projectId": otherApp, "dslContent": "AGENT: closer\n"})
	w.auth = w.token(t)
	return w
}

// ask asks the node that the tenant was not made on.
func (w *agentsWorld) ask(t *testing.T, method, path string, body any, headers ...string) *answer {
	t.Helper()
	return w.b.do(t, method, path, body, append([]string{"Authorization", "Bearer " + w.auth}, headers...)...)
}

func TestAgentsAreFoundByName(t *testing.T) {
	t.Parallel()
	w := newAgentsWorld(t)
	names := func(path string) (names []string) {
		var page struct {
			Success       bool
			Total         int
			Offset, Limit *int
			Agents        []map[string]string
		}
		w.ask(t, "GET", path, nil).must(t, 200).into(t, &page)
		require.True(t, page.Success)
		require.NotNil(t, page.Offset)
		require.NotNil(t, page.Limit)
		for _, a := range page.Agents {
			require.ElementsMatch(t, []string{"id", "name"}, []string{"id", "name"}[:len(a)])
			names = append(names, a["id"]+" "+a["name"])
		}
		require.GreaterOrEqual(t, page.Total, len(names))
		return names
	}
	require.Equal(t, []string{"a-3 closer", "a-1 greeter", "a-2 greeter"}, names("/api/agents"))
	require.Equal(t, []string{"a-1 greeter"}, names("/api/agents?limit=1&offset=1"))
	require.Equal(t, []string{"a-1 greeter"}, names("/api/agents?projectId="+mainAlias))

	got := w.ask(t, "GET", "/api/agents/greeter?projectId="+mainAlias, nil).must(t, 200)
	require.Equal(t, "private, max-age=300", got.Header.Get("Cache-Control"))
	var one struct {
		Success bool
		Agent   map[string]string
	}
	got.into(t, &one)
	require.True(t, one.Success)
	require.Equal(t, map[string]string{"id": "a-1", "name": "greeter", "dslContent": greeting}, one.Agent)
	refused := w.ask(t, "GET", "/api/agents/greeter", nil).refused(t, 409, fault.Conflict)
	require.Contains(t, refused.Text, mainApp+", "+otherApp)
	w.ask(t, "GET", "/api/agents/closer", nil).must(t, 200)
	w.ask(t, "GET", "/api/agents/nobody", nil).refused(t, 404, fault.NotFound)
	w.ask(t, "GET", "/api/agents/no%20body", nil).refused(t, 404, fault.NotFound)
	w.ask(t, "GET", "/api/agents/closer?projectId=nowhere", nil).refused(t, 404, fault.NotFound)
}

// An API key sees the agents of its project only.
func TestAgentsThatAKeySees(t *testing.T) {
	t.Parallel()
	w := newAgentsWorld(t)
	key := w.key(t, mainScope)
	do := func(path string) *answer { return w.b.do(t, "GET", path, nil, "X-API-Key", key) }
	require.Contains(t, do("/api/agents").must(t, 200).Text, `"total":1`)
	require.Contains(t, do("/api/agents/greeter").must(t, 200).Text, `"id":"a-1"`)
	do("/api/agents/closer").refused(t, 404, fault.NotFound)
	do("/api/projects/"+otherApp+"/agents").refused(t, 404, fault.NotFound)
	do("/api/agents/closer?projectId="+otherApp).refused(t, 404, fault.NotFound)

	w.scope(t, "as-lister", "lister", mainApp, access.AppView)
	lister := w.key(t, "as-lister")
	w.b.do(t, "GET", "/api/agents", nil, "X-API-Key", lister).must(t, 200)
	w.b.do(t, "GET", "/api/agents/greeter", nil, "X-API-Key", lister).refused(t, 403, fault.Forbidden)
}

func TestAgentsOfAProject(t *testing.T) {
	t.Parallel()
	w := newAgentsWorld(t)
	var list struct {
		Success    bool
		Agents     []map[string]any
		Pagination map[string]int
	}
	w.ask(t, "GET", "/api/projects/"+mainAlias+"/agents", nil).must(t, 200).into(t, &list)
	require.True(t, list.Success)
	require.Equal(t, map[string]int{"total": 1, "limit": 50, "offset": 0}, list.Pagination)
	a := list.Agents[0]
	require.ElementsMatch(t, []string{"id", "name", "agentPath", "description", "versionCount", "activeVersions", "createdAt", "updatedAt"},
		keysOf(a))
	require.Equal(t, []any{"a-1", "greeter", "bot/greeter", "Says hello", 0., map[string]any{}}, []any{a["id"], a["name"], a["agentPath"],
		a["description"], a["versionCount"], a["activeVersions"]})
	require.Regexp(t, isoForm, a["createdAt"])
	require.Regexp(t, isoForm, a["updatedAt"])
	var one struct{ Agent map[string]any }
	w.ask(t, "GET", agentsPath+"/greeter", nil).must(t, 200).into(t, &one)
	a["dslContent"] = greeting
	require.Equal(t, a, one.Agent)
	w.ask(t, "GET", agentsPath+"/closer", nil).refused(t, 404, fault.NotFound)
	require.Contains(t, w.ask(t, "GET", "/api/projects/"+otherApp+"/agents", nil).must(t, 200).Text, `"description":null`)
	stranger := w.cluster.tenant(t, "")
	w.b.do(t, "GET", agentsPath+"/greeter", nil, "auth", stranger.token(t)).refused(t, 404, fault.NotFound)
}

func TestAWorkingCopyIsSaved(t *testing.T) {
	t.Parallel()
	w := newAgentsWorld(t)
	text := func() string {
		var one struct{ Agent struct{ DSLContent string } }
		w.ask(t, "GET", agentsPath+"/greeter", nil).must(t, 200).into(t, &one)
		return one.Agent.DSLContent
	}
	put := func(body any, headers ...string) *answer {
		return w.ask(t, "PUT", agentsPath+"/greeter/dsl", body, headers...)
	}
	got := put(fields{"dslContent": "no: [yaml"}, "Idempotency-Key", "once").must(t, 200)
	require.Regexp(t, `^\{"success":true,"updatedAt":"[^"]+"\}$`, strings.TrimSpace(got.Text))
	require.Equal(t, "no: [yaml", text())
	again := put(fields{"dslContent": "no: [yaml"}, "Idempotency-Key", "once").must(t, 200)
	require.Equal(t, got.Text, again.Text)
	require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	put(fields{"dslContent": "other"}, "Idempotency-Key", "once").refused(t, 409, fault.Conflict)
	require.Equal(t, got.Text, put(fields{"dslContent": "no: [yaml"}).must(t, 200).Text, "nothing was changed")

	for name, body := range map[string]any{"empty": fields{"dslContent": ""}, "missing": fields{}, "a number": fields{"dslContent": 5},
		"too long": fields{"dslContent": strings.Repeat("x", agents.MaxSource+1)}} {
		t.Run(name, func(t *testing.T) {
			put(body).refused(t, 400, fault.Validation, "dslContent")
		})
	}
	put(fields{"dslContent": strings.Repeat("x", 1<<20)}).refused(t, 413, fault.TooLarge)
	put(fields{"dslContent": strings.Repeat("x", agents.MaxSource)}).must(t, 200)
	w.ask(t, "PUT", agentsPath+"/closer/dsl", fields{"dslContent": "x"}).refused(t, 404, fault.NotFound)
	w.scope(t, "as-viewer", "viewer", mainApp, access.AgentsView)
	w.b.do(t, "PUT", agentsPath+"/greeter/dsl", fields{"dslContent": "x"}, "X-API-Key", w.key(t, "as-viewer")).refused(t, 403, fault.Forbidden)
}

func TestAnAgentIsCreated(t *testing.T) {
	t.Parallel()
	w := newAgentsWorld(t)
	body := fields{"name": "router", "description": "Knows the way", "dslContent": "AGENT: router\n"}
	got := w.ask(t, "POST", agentsPath, body, "Idempotency-Key", "once").must(t, http.StatusCreated)
	var made struct{ Agent map[string]any }
	got.into(t, &made)
	require.Regexp(t, "^a-"+uuidForm+"$", made.Agent["id"])
	require.Equal(t, "bot/router", made.Agent["agentPath"])
	require.Equal(t, "AGENT: router\n", made.Agent["dslContent"])
	require.Equal(t, got.Text, w.ask(t, "POST", agentsPath, body, "Idempotency-Key", "once").must(t, http.StatusCreated).Text)
	w.ask(t, "POST", agentsPath, body).refused(t, 409, fault.Conflict)
	body["name"] = "a/b"
	w.ask(t, "POST", agentsPath, body).refused(t, 400, fault.Validation, "name")
}

func TestVersionsOfAnAgent(t *testing.T) {
	t.Parallel()
	w := newAgentsWorld(t)
	versions := agentsPath + "/greeter/versions"
	save := func(text string) string {
		w.ask(t, "PUT", agentsPath+"/greeter/dsl", fields{"dslContent": text}).must(t, 200)
		var saved struct {
			Version struct{ Version, SavedAt string }
		}
		w.ask(t, "POST", versions, nil).must(t, 200).into(t, &saved)
		require.Regexp(t, isoForm, saved.Version.SavedAt)
		return saved.Version.Version
	}
	require.Equal(t, "1", save("a\nb\n"))
	require.Equal(t, "1", save("a\nb\n"), "the working copy is that version")
	require.Equal(t, "2", save("a\nc\n"))
	var list struct {
		Versions   []map[string]string
		Pagination map[string]int
	}
	w.ask(t, "GET", versions, nil).must(t, 200).into(t, &list)
	require.Equal(t, []string{"2", "1"}, []string{list.Versions[0]["version"], list.Versions[1]["version"]})
	require.Equal(t, 2, list.Pagination["total"])
	require.Contains(t, w.ask(t, "GET", agentsPath+"/greeter", nil).must(t, 200).Text, `"versionCount":2`)
	require.Contains(t, w.ask(t, "GET", versions+"/1", nil).must(t, 200).Text, `"dslContent":"a\nb\n"`)
	for _, unknown := range []string{"0", "3", "01", "-1", "+1", "x", "99999999999999999999"} {
		w.ask(t, "GET", versions+"/"+unknown, nil).refused(t, 404, fault.NotFound)
	}

	differ := func(query string) (d struct {
		From, To, Unified string
		Changed           bool
	}) {
		var out struct{ Difference any }
		out.Difference = &d
		w.ask(t, "GET", versions+query, nil).must(t, 200).into(t, &out)
		return d
	}
	d := differ("/2/difference")
	require.Equal(t, []any{"1", "2", true, "--- 1\n+++ 2\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"}, []any{d.From, d.To, d.Changed, d.Unified})
	require.Contains(t, differ("/1/difference").Unified, "+a\n+b\n", "all of the first is new")
	require.False(t, differ("/2/difference?against=working").Changed)
	require.Contains(t, differ("/1/difference?against=2").Unified, "-c\n+b\n")
	w.ask(t, "GET", versions+"/1/difference?against=7", nil).refused(t, 400, fault.Validation, "against")
	w.ask(t, "GET", versions+"/1/difference?against=new", nil).refused(t, 400, fault.Validation, "against")

	w.ask(t, "POST", versions+"/1/restore", nil).must(t, 200)
	require.Contains(t, w.ask(t, "GET", agentsPath+"/greeter", nil).must(t, 200).Text, `"dslContent":"a\nb\n"`)
	newest := w.events(t, w.b, "type", "parley.agents.dsl-saved.v1", "order", "desc").Events[0]
	require.Contains(t, string(newest.Data), `"restoredVersion":"1"`)
}
