package deployables_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
)

// finely is a moment that is finer than the log's, in another zone.
var finely = at.Add(1999 * time.Microsecond).In(time.FixedZone("", 3600))

// Given definitions, when they are deployed and removed, then the events say whose and
// which they are, to the millisecond in UTC.
func TestEventsSayWhatWasDone(t *testing.T) {
	described := func(c *deployables.About) { c.Description = " finds orders " }
	tool, workflow := lookup, renew
	tool.Description, workflow.Description = "finds orders", "finds orders"
	for name, c := range map[string]struct {
		when func(deployables.State) ([]event.Payload, error)
		then event.Payload
	}{
		"a tool":     {defineLookup(func(c *deployables.DefineTool) { described(&c.About) }).Decide, tool},
		"a workflow": {defineRenew(func(c *deployables.DefineWorkflow) { described(&c.About) }).Decide, workflow},
		"deployed": {
			deployables.Deploy{TenantID: "acct", ProjectID: "shop", Kind: deployables.Tool, ID: "lookup", JobID: "ds-1", At: finely}.Decide,
			deployables.Deployed{TenantID: "acct", ProjectID: "shop", Kind: deployables.Tool, ID: "lookup", Name: "Look up an order", Version: 1,
				Content: json.RawMessage(`{"url":"https://api.example.com/orders","method":"GET","parameters":{"type":"object"}}`),
				JobID:   "ds-1", At: at.Add(time.Millisecond)},
		},
		"removed": {
			deployables.Remove{TenantID: "acct", ProjectID: "shop", Kind: deployables.Workflow, ID: "renew"}.Decide,
			deployables.Removed{TenantID: "acct", ProjectID: "shop", Kind: deployables.Workflow, ID: "renew", Name: "Renew"},
		},
	} {
		got, err := c.when(deployables.Docks.State(lookup, renew))
		require.NoError(t, err, name)
		require.Equal(t, []event.Payload{c.then}, got, name)
	}
}

// Given a job, when it is asked for and ends, then its events say which and how.
func TestEventsOfAJobSayHowItEnded(t *testing.T) {
	asked, err := deployables.RequestJob{
		JobID:     "ds-1",
		TenantID:  "acct",
		ProjectID: "shop",
		Kind:      deployables.Tool,
		ID:        "lookup",
		Async:     true,
		At:        finely,
	}.
		Decide(
			deployables.Job{},
		)
	require.NoError(t, err)
	require.Equal(t, []event.Payload{deployables.JobRequested{JobID: "ds-1", TenantID: "acct", ProjectID: "shop", Kind: deployables.Tool,
		ID:    "lookup",
		Async: true, At: at.Add(time.Millisecond)}}, asked)
	for end, want := range map[deployables.EndJob]deployables.Job{
		{Version: 3, At: finely}: {Requested: asked[0].(deployables.JobRequested), Status: deployables.Success, Version: 3,
			EndedAt: at.Add(time.Millisecond)},
		{Reason: "no tool", At: finely}: {Requested: asked[0].(deployables.JobRequested), Status: deployables.Failed, Reason: "no tool",
			EndedAt: at.Add(time.Millisecond)},
	} {
		got, err := end.Decide(deployables.Jobs.State(asked...))
		require.NoError(t, err)
		require.Equal(t, want, deployables.Jobs.State(append(asked, got...)...))
	}
}

// Given workflows, when tools are missing, then the refusal counts and names them.
func TestMissingToolsAreCountedAndNamed(t *testing.T) {
	step := func(id, tool string) deployables.Step { return deployables.Step{ID: id, Tool: tool} }
	for want, steps := range map[string][]deployables.Step{
		"refers to a tool, not defined in the project: lookup":          {step("a", "lookup"), step("b", "lookup")},
		"refers to 2 tools, not defined in the project: charge, lookup": {step("a", "lookup"), step("b", "charge"), step("c", "lookup")},
	} {
		w := renew
		w.Steps = steps
		_, err := deployables.Deploy{Kind: deployables.Workflow, ID: "renew", At: at}.Decide(deployables.Docks.State(w))
		require.True(t, fault.Is(err, fault.Conflict))
		require.ErrorContains(t, err, want)
	}
	require.Nil(t, deployables.Refers(json.RawMessage(`{"no":"steps"}`)))
}

// Given a definition, when it is at its limit, then it is taken, and one more is not.
func TestLimitsOfADefinition(t *testing.T) {
	for name, c := range map[string]struct {
		take, refuse func(*deployables.DefineTool)
		field        string
	}{
		"description": {
			func(c *deployables.DefineTool) {
				c.Description = " " + strings.Repeat("ü", access.MaxDescriptionLength)
			},
			func(c *deployables.DefineTool) { c.Description = strings.Repeat("ü", access.MaxDescriptionLength+1) }, "spec.description"},
		"description in UTF-8": {nil, func(c *deployables.DefineTool) { c.Description = "\xff" }, "spec.description"},
		"content": {
			func(c *deployables.DefineTool) { *c = sized(deployables.MaxContent) },
			func(c *deployables.DefineTool) { *c = sized(deployables.MaxContent + 1) }, "spec"},
		"parameters that are null": {func(c *deployables.DefineTool) { c.Parameters = json.RawMessage(`null`) },
			func(c *deployables.DefineTool) { c.Parameters = json.RawMessage(`{"a":`) }, "spec.parameters"},
		"http": {func(c *deployables.DefineTool) { c.URL = "http://example.com" }, func(c *deployables.DefineTool) { c.URL = "https://" },
			"spec.url"},
		"no URL": {nil, func(c *deployables.DefineTool) { c.URL = "https://example.com\x7f" }, "spec.url"},
		"code": {func(c *deployables.DefineTool) { *c = code("1+1") },
			func(c *deployables.DefineTool) { *c = code("1+1"); c.URL = "https://example.com" }, "spec.url"},
		"methods": {nil, func(c *deployables.DefineTool) { *c = code("1+1"); c.Method = "GET" }, "spec.method"},
	} {
		if c.take != nil {
			_, err := defineLookup(c.take).Decide(deployables.State{})
			require.NoError(t, err, name)
		}
		_, err := defineLookup(c.refuse).Decide(deployables.State{})
		require.Equal(t, []string{c.field}, faulttest.Fields(t, err), name)
	}
	_, err := defineRenew(func(c *deployables.DefineWorkflow) {
		c.Steps[0].Arguments = json.RawMessage(`{"d":"` + strings.Repeat("x", deployables.MaxContent) + `"}`)
	}).Decide(deployables.State{})
	require.Equal(t, []string{"spec.steps"}, faulttest.Fields(t, err))
}

func code(text string) deployables.DefineTool {
	return deployables.DefineTool{About: about("lookup", "Look up"), Type: "code", Code: text}
}

// sized is a tool whose content is that many bytes.
func sized(n int) deployables.DefineTool { return code(strings.Repeat("x", n-len(`{"code":""}`))) }

// Given a large number in what a tool takes, when it is stored, then it is the same one.
func TestLargeNumbersStayWhatTheyAre(t *testing.T) {
	got, err := defineLookup(
		func(c *deployables.DefineTool) { c.Parameters = json.RawMessage(`{"maximum":12345678901234567890}`) },
	).Decide(deployables.State{})
	require.NoError(t, err)
	require.JSONEq(t, `{"maximum":12345678901234567890}`, string(got[0].(deployables.ToolDefined).Settings.Parameters))
	require.Contains(t, string(got[0].(deployables.ToolDefined).Settings.Parameters), "12345678901234567890")
}

// Given a workflow whose name is taken, when it is defined, then it is refused.
func TestWorkflowsHaveNamesOfTheirOwn(t *testing.T) {
	taken := func(c *deployables.DefineWorkflow) { c.ID = "other" }
	_, err := defineRenew(taken).Decide(deployables.Docks.State(renew))
	require.True(t, fault.Is(err, fault.Conflict))
	_, err = defineLookup(
		func(c *deployables.DefineTool) { c.Name = lookup.Name; c.ID = "other"; c.Name = "Another" },
	).Decide(deployables.Docks.State(lookup))
	require.NoError(t, err, "another name is free")
}
