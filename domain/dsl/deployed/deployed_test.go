package deployed_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/dsl/deployed"
)

const orders = `{"type": "object", "required": ["id"],
	"properties": {"id": {"type": "string"}, "lines": {"type": "boolean"}, "page": {"type": "integer"}}}`

// What a deployed tool sends follows from its definition, and from the arguments.
func TestWhatADeployedToolSends(t *testing.T) {
	args := map[string]any{"id": "A/7 <b>", "lines": true}
	for name, c := range map[string]struct {
		tool deployed.Tool
		want dsl.Sent
	}{
		"reads": {deployed.Tool{Kind: dsl.ToolHTTP, Method: "GET", URL: "https://a.example/orders/{id}?v=2", Parameters: json.RawMessage(orders)},
			dsl.Sent{Method: "GET", URL: "https://a.example/orders/A%2F7%20%3Cb%3E?v=2&lines=true", Headers: map[string]string{}}},
		"undeclared": {deployed.Tool{Kind: dsl.ToolHTTP, Method: "GET", URL: "https://a.example/orders/{id}"},
			dsl.Sent{Method: "GET", URL: "https://a.example/orders/A%2F7%20%3Cb%3E", Headers: map[string]string{}}},
		"writes": {deployed.Tool{Kind: dsl.ToolHTTP, Method: "PUT", URL: "https://a.example/orders/{id}", Parameters: json.RawMessage(orders),
			Headers: map[string]string{"Authorization": "Bearer ${secret:TOKEN}"}},
			dsl.Sent{Method: "PUT", URL: "https://a.example/orders/A%2F7%20%3Cb%3E", Body: []byte(`{"id":"A/7 <b>","lines":true}`),
				Headers: map[string]string{"Authorization": "Bearer s3cret", "Content-Type": "application/json"}}},
		"a server": {deployed.Tool{Kind: dsl.ToolMCP, URL: "https://a.example/mcp", Headers: map[string]string{"X-Key": "${secret:TOKEN}"}},
			dsl.Sent{Method: "POST", URL: "https://a.example/mcp", Headers: map[string]string{"X-Key": "s3cret"}}},
	} {
		tool, problems := c.tool.Compile()
		require.Empty(t, problems, name)
		got, err := tool.Request.Build(dsl.Scope{"args": args}, func(string) (string, error) { return "s3cret", nil })
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
	tool, problems := deployed.Tool{Kind: dsl.ToolMCP, URL: "https://a.example/mcp", Remote: "forecast"}.Compile()
	require.Empty(t, problems)
	require.Equal(t, []any{dsl.ToolMCP, "forecast"}, []any{tool.Kind, tool.Remote})
	tool, problems = deployed.Tool{Kind: dsl.ToolCode, Code: "return input.a < 1"}.Compile()
	require.Empty(t, problems)
	require.Equal(t, []any{dsl.ToolCode, "return input.a < 1"}, []any{tool.Kind, tool.Source})
}

func TestAProblemNamesThePartOfTheDefinition(t *testing.T) {
	for field, tool := range map[string]deployed.Tool{
		"url":        {Kind: dsl.ToolHTTP, Method: "GET", URL: "https://{host}/orders"},
		"headers":    {Kind: dsl.ToolHTTP, Method: "GET", URL: "https://a.example/", Headers: map[string]string{"Host": "b.example"}},
		"headers.X":  {Kind: dsl.ToolMCP, URL: "https://a.example/", Headers: map[string]string{"X": "${secret:no good}"}},
		"parameters": {Kind: dsl.ToolCode, Code: "return 1", Parameters: json.RawMessage(`{"type": "array"}`)},
		"parameters.a": {Kind: dsl.ToolHTTP, Method: "GET", URL: "https://a.example/{b}",
			Parameters: json.RawMessage(`{"properties": {"a": {}}}`)},
	} {
		_, problems := tool.Compile()
		require.NotEmpty(t, problems, field)
		if field != "parameters.a" {
			require.Equal(t, field, problems[0].Field, problems.Error())
		}
		require.NotEmpty(t, problems[0].Hint)
	}
}

// Steps run one after the other, and where NEXT leads; each with what it says, else with what
// came before.
func TestStepsOfAWorkflow(t *testing.T) {
	runs, problems := deployed.Workflow([]deployed.Step{
		{ID: "find", Tool: "orders"},
		{ID: "last", Tool: "mail", Next: "end"},
		{ID: "price", Tool: "prices", Next: "last"},
		{ID: "end", Tool: "log"},
	}[:2])
	require.Equal(t, "steps[1].next", problems[0].Field)
	require.Empty(t, runs)

	runs, problems = deployed.Workflow([]deployed.Step{
		{ID: "find", Tool: "orders", Next: "price"},
		{ID: "last", Tool: "mail", Next: "end",
			Arguments: json.RawMessage(`{"to": "{{ args.mail }}", "text": "{{ steps.price.eur }} euro", "all": "{{ steps.price }}"}`)},
		{ID: "price", Tool: "prices", Next: "last"},
		{ID: "end", Tool: "log"},
	})
	require.Empty(t, problems)
	var order []string
	for _, r := range runs {
		order = append(order, r.ID+" "+r.Tool)
	}
	require.Equal(t, []string{"find orders", "price prices", "last mail", "end log"}, order)

	args, results := map[string]any{"mail": "ann@a.example"}, map[string]any{}
	with := func(i int, last any) any {
		given, err := runs[i].Arguments(args, results, last)
		if err != nil {
			return err.Error()
		}
		return given
	}
	require.Equal(t, args, with(0, nil), "the first has the arguments of the workflow")
	results["find"] = map[string]any{"years": 4.0}
	require.Equal(t, map[string]any{"years": 4.0}, with(1, results["find"]), "another has what the one before answered")
	require.Equal(t, "string is no object, which arguments are", with(1, "a text"))
	require.Contains(t, with(2, nil), "no such key: price")
	results["price"] = map[string]any{"eur": 9.5}
	require.Equal(t, map[string]any{"to": "ann@a.example", "text": "9.5 euro", "all": map[string]any{"eur": 9.5}}, with(2, nil))

	for why, steps := range map[string][]deployed.Step{
		"loop":         {{ID: "a", Tool: "t"}, {ID: "b", Tool: "t", Next: "a"}},
		"unknown_name": {{ID: "a", Tool: "t", Arguments: json.RawMessage(`{"x": "{{ session.x }}"}`)}},
	} {
		_, problems = deployed.Workflow(steps)
		require.Len(t, problems, 1, why)
		require.Equal(t, why, problems[0].Code)
	}
}
