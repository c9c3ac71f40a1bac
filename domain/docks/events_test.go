package docks_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/docks"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// finely is a moment that is finer than the log's, in another zone.
var finely = at.Add(1999 * time.Microsecond).In(time.FixedZone("", 3600))

// Given definitions, when they are deployed and removed, then the events say whose and
// which they are, to the millisecond in UTC.
func TestEventsSayWhatWasDone(t *testing.T) {
	described := func(c *docks.About) { c.Description = " finds orders " }
	tool, workflow := lookup, renew
	tool.Description, workflow.Description = "finds orders", "finds orders"
	for name, c := range map[string]struct {
		when func(docks.State) ([]event.Payload, error)
		then event.Payload
	}{
		"a tool":     {defineLookup(func(c *docks.DefineTool) { described(&c.About) }).Decide, tool},
		"a workflow": {defineRenew(func(c *docks.DefineWorkflow) { described(&c.About) }).Decide, workflow},
		"deployed": {
			docks.Deploy{TenantID: "acct", ProjectID: "shop", Kind: docks.Tool, ID: "lookup", JobID: "ds-1", At: finely}.Decide,
			docks.Deployed{TenantID: "acct", ProjectID: "shop", Kind: docks.Tool, ID: "lookup", Name: "Look up an order", Version: 1,
				Content: json.RawMessage(`{"url":"https://api.example.com/orders","method":"GET","parameters":{"type":"object"}}`),
				JobID:   "ds-1", At: at.Add(time.Millisecond)},
		},
		"removed": {
			docks.Remove{TenantID: "acct", ProjectID: "shop", Kind: docks.Workflow, ID: "renew"}.Decide,
			docks.Removed{TenantID: "acct", ProjectID: "shop", Kind: docks.Workflow, ID: "renew", Name: "Renew"},
		},
	} {
		got, err := c.when(docks.Docks.State(lookup, renew))
		require.NoError(t, err, name)
		require.Equal(t, []event.Payload{c.then}, got, name)
	}
}

// Given a job, when it is asked for and ends, then its events say which and how.
func TestEventsOfAJobSayHowItEnded(t *testing.T) {
	asked, err := docks.RequestJob{
		JobID:     "ds-1",
		TenantID:  "acct",
		ProjectID: "shop",
		Kind:      docks.Tool,
		ID:        "lookup",
		Async:     true,
		At:        finely,
	}.
		Decide(
			docks.Job{},
		)
	require.NoError(t, err)
	require.Equal(t, []event.Payload{docks.JobRequested{JobID: "ds-1", TenantID: "acct", ProjectID: "shop", Kind: docks.Tool, ID: "lookup",
		Async: true, At: at.Add(time.Millisecond)}}, asked)
	for end, want := range map[docks.EndJob]docks.Job{
		{Version: 3, At: finely}: {Requested: asked[0].(docks.JobRequested), Status: docks.Success, Version: 3,
			EndedAt: at.Add(time.Millisecond)},
		{Reason: "no tool", At: finely}: {Requested: asked[0].(docks.JobRequested), Status: docks.Failed, Reason: "no tool",
			EndedAt: at.Add(time.Millisecond)},
	} {
		got, err := end.Decide(docks.Jobs.State(asked...))
		require.NoError(t, err)
		require.Equal(t, want, docks.Jobs.State(append(asked, got...)...))
	}
}

// Given workflows, when tools are missing, then the refusal counts and names them.
func TestMissingToolsAreCountedAndNamed(t *testing.T) {
	step := func(id, tool string) docks.Step { return docks.Step{ID: id, Tool: tool} }
	for want, steps := range map[string][]docks.Step{
		"refers to a tool, not defined in the project: lookup":          {step("a", "lookup"), step("b", "lookup")},
		"refers to 2 tools, not defined in the project: charge, lookup": {step("a", "lookup"), step("b", "charge"), step("c", "lookup")},
	} {
		w := renew
		w.Steps = steps
		_, err := docks.Deploy{Kind: docks.Workflow, ID: "renew", At: at}.Decide(docks.Docks.State(w))
		require.True(t, fault.Is(err, fault.Conflict))
		require.ErrorContains(t, err, want)
	}
	require.Nil(t, docks.Refers(json.RawMessage(`{"no":"steps"}`)))
}

// Given a definition, when it is at its limit, then it is taken, and one more is not.
func TestLimitsOfADefinition(t *testing.T) {
	for name, c := range map[string]struct {
		take, refuse func(*docks.DefineTool)
		field        string
	}{
		"description": {
			func(c *docks.DefineTool) { c.Description = " " + strings.Repeat("ü", docks.MaxDescription) },
			func(c *docks.DefineTool) { c.Description = strings.Repeat("ü", docks.MaxDescription+1) }, "spec.description"},
		"description in UTF-8": {nil, func(c *docks.DefineTool) { c.Description = "\xff" }, "spec.description"},
		"content": {
			func(c *docks.DefineTool) { *c = sized(docks.MaxContent) },
			func(c *docks.DefineTool) { *c = sized(docks.MaxContent + 1) }, "spec"},
		"parameters that are null": {func(c *docks.DefineTool) { c.Parameters = json.RawMessage(`null`) },
			func(c *docks.DefineTool) { c.Parameters = json.RawMessage(`{"a":`) }, "spec.parameters"},
		"http":   {func(c *docks.DefineTool) { c.URL = "http://example.com" }, func(c *docks.DefineTool) { c.URL = "https://" }, "spec.url"},
		"no URL": {nil, func(c *docks.DefineTool) { c.URL = "https://example.com\x7f" }, "spec.url"},
		"code": {func(c *docks.DefineTool) { *c = code("1+1") },
			func(c *docks.DefineTool) { *c = code("1+1"); c.URL = "https://example.com" }, "spec.url"},
		"methods": {nil, func(c *docks.DefineTool) { *c = code("1+1"); c.Method = "GET" }, "spec.method"},
	} {
		if c.take != nil {
			_, err := defineLookup(c.take).Decide(docks.State{})
			require.NoError(t, err, name)
		}
		_, err := defineLookup(c.refuse).Decide(docks.State{})
		require.Equal(t, []string{c.field}, fields(t, err), name)
	}
	_, err := defineRenew(func(c *docks.DefineWorkflow) {
		c.Steps[0].Arguments = json.RawMessage(`{"d":"` + strings.Repeat("x", docks.MaxContent) + `"}`)
	}).Decide(docks.State{})
	require.Equal(t, []string{"spec.steps"}, fields(t, err))
}

func code(text string) docks.DefineTool {
	return docks.DefineTool{About: about("lookup", "Look up"), Type: "code", Code: text}
}

// sized is a tool whose content is that many bytes.
func sized(n int) docks.DefineTool { return code(strings.Repeat("x", n-len(`{"code":""}`))) }

// Given a large number in what a tool takes, when it is stored, then it is the same one.
func TestLargeNumbersStayWhatTheyAre(t *testing.T) {
	got, err := defineLookup(
		func(c *docks.DefineTool) { c.Parameters = json.RawMessage(`{"maximum":12345678901234567890}`) },
	).Decide(docks.State{})
	require.NoError(t, err)
	require.JSONEq(t, `{"maximum":12345678901234567890}`, string(got[0].(docks.ToolDefined).Settings.Parameters))
	require.Contains(t, string(got[0].(docks.ToolDefined).Settings.Parameters), "12345678901234567890")
}

// Given a workflow whose name is taken, when it is defined, then it is refused.
func TestWorkflowsHaveNamesOfTheirOwn(t *testing.T) {
	taken := func(c *docks.DefineWorkflow) { c.ID = "other" }
	_, err := defineRenew(taken).Decide(docks.Docks.State(renew))
	require.True(t, fault.Is(err, fault.Conflict))
	_, err = defineLookup(
		func(c *docks.DefineTool) { c.Name = lookup.Name; c.ID = "other"; c.Name = "Another" },
	).Decide(docks.Docks.State(lookup))
	require.NoError(t, err, "another name is free")
}
