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

var (
	at = time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)

	lookup = deployables.ToolDefined{TenantID: "acct", ProjectID: "shop", ToolID: "lookup", Name: "Look up an order",
		Type:     deployables.ToolHTTP,
		Settings: deployables.Settings{URL: "https://api.example.com/orders", Method: "GET", Parameters: json.RawMessage(`{"type":"object"}`)},
		Version:  1}
	renew = deployables.WorkflowDefined{TenantID: "acct", ProjectID: "shop", WorkflowID: "renew", Name: "Renew", Version: 1,
		Steps: []deployables.Step{{ID: "find", Tool: "lookup", Arguments: json.RawMessage(`{"a":1}`), Next: "again"},
			{ID: "again", Tool: "lookup"}}}
)

func about(id, name string) deployables.About {
	return deployables.About{TenantID: "acct", ProjectID: "shop", ID: id, Name: name}
}

func defineLookup(edit func(*deployables.DefineTool)) deployables.DefineTool {
	c := deployables.DefineTool{About: about("lookup", " Look up an order "), Type: "http", URL: "https://api.example.com/orders",
		Method: "GET", Parameters: json.RawMessage(` {"type" : "object"} `)}
	if edit != nil {
		edit(&c)
	}
	return c
}

func defineRenew(edit func(*deployables.DefineWorkflow)) deployables.DefineWorkflow {
	c := deployables.DefineWorkflow{About: about("renew", "Renew"), Steps: []deployables.Step{
		{ID: "find", Tool: "lookup", Arguments: json.RawMessage(`{ "a": 1 }`), Next: "again"}, {ID: "again", Tool: "lookup"}}}
	if edit != nil {
		edit(&c)
	}
	return c
}

func TestADefinitionIsTheSameHoweverItIsWritten(t *testing.T) {
	got, err := defineLookup(nil).Decide(deployables.State{})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{lookup}, got)
	got, err = defineLookup(nil).Decide(deployables.Docks.State(lookup))
	require.NoError(t, err)
	require.Empty(t, got)

	got, err = defineRenew(nil).Decide(deployables.Docks.State(lookup))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{renew}, got)
	got, err = defineRenew(nil).Decide(deployables.Docks.State(lookup, renew))
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestVersionsCountWhatADefinitionDoes(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*deployables.DefineTool)
		want int
	}{
		"another name":   {func(c *deployables.DefineTool) { c.Name = "Orders" }, 1},
		"another text":   {func(c *deployables.DefineTool) { c.Description = "finds orders" }, 1},
		"another URL":    {func(c *deployables.DefineTool) { c.URL += "/v2" }, 2},
		"another method": {func(c *deployables.DefineTool) { c.Method = "" }, 2},
		"another type":   {func(c *deployables.DefineTool) { c.Type, c.Method = "mcp", "" }, 2},
	} {
		got, err := defineLookup(c.edit).Decide(deployables.Docks.State(lookup))
		require.NoError(t, err, name)
		require.Len(t, got, 1, name)
		require.Equal(t, c.want, got[0].(deployables.ToolDefined).Version, name)
	}
}

func TestNamesAreUniqueAmongTheKind(t *testing.T) {
	_, err := defineLookup(func(c *deployables.DefineTool) { c.ID = "other" }).Decide(deployables.Docks.State(lookup))
	require.True(t, fault.Is(err, fault.Conflict))
	_, err = defineRenew(func(c *deployables.DefineWorkflow) { c.Name = lookup.Name }).Decide(deployables.Docks.State(lookup))
	require.NoError(t, err, "a workflow may be named as a tool is")
}

func TestWrongFieldsOfATool(t *testing.T) {
	for field, edits := range map[string][]func(*deployables.DefineTool){
		"metadata.id":      {func(c *deployables.DefineTool) { c.ID = "" }, func(c *deployables.DefineTool) { c.ID = strings.Repeat("x", 129) }},
		"metadata.name":    {func(c *deployables.DefineTool) { c.Name = "" }},
		"spec.projectId":   {func(c *deployables.DefineTool) { c.ProjectID = "a b" }},
		"spec.description": {func(c *deployables.DefineTool) { c.Description = strings.Repeat("x", access.MaxDescriptionLength+1) }},
		"spec.type":        {func(c *deployables.DefineTool) { c.Type = "" }, func(c *deployables.DefineTool) { c.Type = "soap" }},
		"spec.url": {func(c *deployables.DefineTool) { c.URL = "" }, func(c *deployables.DefineTool) { c.URL = "ftp://example.com" },
			func(c *deployables.DefineTool) { c.URL = "/orders" }},
		"spec.method": {func(c *deployables.DefineTool) { c.Method = "get" }, func(c *deployables.DefineTool) { c.Type = "mcp" }},
		"spec.code": {func(c *deployables.DefineTool) { c.Code = "1+1" }, func(c *deployables.DefineTool) {
			c.Type, c.URL, c.Method,
				c.Code = "code", "", "", " "
		}},
		"spec.parameters": {func(c *deployables.DefineTool) { c.Parameters = json.RawMessage(`[]`) },
			func(c *deployables.DefineTool) { c.Parameters = json.RawMessage(`{"type":"array"}`) }},
		"spec.headers": {func(c *deployables.DefineTool) { c.Headers = map[string]string{"Content-Length": "1"} },
			func(c *deployables.DefineTool) {
				c.Type, c.URL, c.Method, c.Code, c.Headers = "code", "", "", "return 1", map[string]string{"X": "1"}
			}},
		"spec.tool": {func(c *deployables.DefineTool) { c.Remote = "forecast" }},
		"spec": {func(c *deployables.DefineTool) {
			c.Parameters = json.RawMessage(`{"d":"` + strings.Repeat("x", deployables.MaxContent) + `"}`)
		}},
	} {
		for i, edit := range edits {
			_, err := defineLookup(edit).Decide(deployables.State{})
			require.Equal(t, []string{field}, faulttest.Fields(t, err), "%s %d", field, i)
		}
	}
}

func TestWrongFieldsOfAWorkflow(t *testing.T) {
	for field, edit := range map[string]func(*deployables.DefineWorkflow){
		"spec.steps":              func(c *deployables.DefineWorkflow) { c.Steps = nil },
		"spec.steps[0].id":        func(c *deployables.DefineWorkflow) { c.Steps[0].ID = "a b" },
		"spec.steps[1].id":        func(c *deployables.DefineWorkflow) { c.Steps[1].ID, c.Steps[0].Next = "find", "" },
		"spec.steps[1].tool":      func(c *deployables.DefineWorkflow) { c.Steps[1].Tool = "" },
		"spec.steps[0].next":      func(c *deployables.DefineWorkflow) { c.Steps[0].Next = "nowhere" },
		"spec.steps[0].arguments": func(c *deployables.DefineWorkflow) { c.Steps[0].Arguments = json.RawMessage(`"text"`) },
		"spec.steps[1].next":      func(c *deployables.DefineWorkflow) { c.Steps[1].Next = c.Steps[0].ID },
		"spec.steps[0].arguments.id": func(c *deployables.DefineWorkflow) {
			c.Steps[0].Arguments = json.RawMessage(`{"id":"{{ nobody.knows }}"}`)
		},
	} {
		_, err := defineRenew(edit).Decide(deployables.State{})
		require.Equal(t, []string{field}, faulttest.Fields(t, err), field)
	}
	many := func(n int) deployables.DefineWorkflow {
		return defineRenew(func(c *deployables.DefineWorkflow) {
			c.Steps = nil
			for i := range n {
				c.Steps = append(c.Steps, deployables.Step{ID: "s" + strings.Repeat("x", i%100) + string(rune('a'+i/100)), Tool: "lookup"})
			}
		})
	}
	_, err := many(deployables.MaxSteps).Decide(deployables.State{})
	require.NoError(t, err)
	_, err = many(deployables.MaxSteps + 1).Decide(deployables.State{})
	require.Contains(t, faulttest.Fields(t, err), "spec.steps")
}

func TestDeployingFreezesWhatIsLive(t *testing.T) {
	deploy := deployables.Deploy{TenantID: "acct", ProjectID: "shop", Kind: deployables.Workflow, ID: "renew", JobID: "ds-1", At: at}
	got, err := deploy.Decide(deployables.Docks.State(lookup, renew))
	require.NoError(t, err)
	live := got[0].(deployables.Deployed)
	require.Equal(t, 1, live.Version)

	changed, err := defineRenew(func(c *deployables.DefineWorkflow) { c.Steps = c.Steps[1:] }).Decide(deployables.Docks.State(lookup, renew,
		live))
	require.NoError(t, err)
	d, _ := deployables.Docks.State(lookup, renew, live, changed[0]).Find(deployables.Workflow, "renew")
	require.Equal(t, 2, d.Version)
	require.Equal(t, 1, d.Live)
	require.JSONEq(t, string(live.Content), string(d.LiveContent))
}

func TestAWorkflowWithAMissingToolIsNotDeployed(t *testing.T) {
	deploy := deployables.Deploy{TenantID: "acct", ProjectID: "shop", Kind: deployables.Workflow, ID: "renew", JobID: "ds-1", At: at}
	_, err := deploy.Decide(deployables.Docks.State(renew))
	require.True(t, fault.Is(err, fault.Conflict))
	require.ErrorContains(t, err, "lookup")
	gone := deployables.Removed{TenantID: "acct", ProjectID: "shop", Kind: deployables.Tool, ID: "lookup"}
	_, err = deploy.Decide(deployables.Docks.State(lookup, renew, gone))
	require.True(t, fault.Is(err, fault.Conflict))
	deploy.ID = "unknown"
	_, err = deploy.Decide(deployables.Docks.State(lookup, renew))
	require.True(t, fault.Is(err, fault.NotFound))
}

func TestRemovingTwiceIsRemovingOnce(t *testing.T) {
	remove := deployables.Remove{TenantID: "acct", ProjectID: "shop", Kind: deployables.Tool, ID: "lookup"}
	got, err := remove.Decide(deployables.Docks.State(lookup))
	require.NoError(t, err)
	require.Len(t, got, 1)
	again, err := remove.Decide(deployables.Docks.State(lookup, got[0]))
	require.NoError(t, err)
	require.Empty(t, again)
}

func TestAJobEndsOnce(t *testing.T) {
	request := deployables.RequestJob{JobID: "ds-1", TenantID: "acct", ProjectID: "shop", Kind: deployables.Tool, ID: "lookup", At: at}
	asked, err := request.Decide(deployables.Job{})
	require.NoError(t, err)
	for want, end := range map[deployables.JobStatus]deployables.EndJob{deployables.Success: {Version: 3, At: at},
		deployables.Failed: {Reason: "no such tool", At: at}} {
		got, err := end.Decide(deployables.Jobs.State(asked...))
		require.NoError(t, err)
		ended := deployables.Jobs.State(append(asked, got...)...)
		require.Equal(t, want, ended.Status)
		for _, c := range []deployables.EndJob{{Version: 4, At: at}, {Reason: "late", At: at}} {
			late, err := c.Decide(ended)
			require.NoError(t, err)
			require.Empty(t, late)
		}
	}
	twice, err := request.Decide(deployables.Jobs.State(asked...))
	require.NoError(t, err)
	require.Empty(t, twice)
	never, err := deployables.EndJob{Version: 1, At: at}.Decide(deployables.Job{})
	require.NoError(t, err)
	require.Empty(t, never)
}

func TestAToolsURLHoldsNoUserOrPassword(t *testing.T) {
	_, err := defineLookup(func(c *deployables.DefineTool) { c.URL = "https://me:secret@api.example.com/orders" }).Decide(deployables.State{})
	require.Equal(t, []string{"spec.url"}, faulttest.Fields(t, err))
	require.NotContains(t, err.Error(), "secret")
}
