package flows_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/flows"
)

var sales = flows.FlowDefined{TenantID: "acct", ProjectID: "shop", FlowID: "cf-1", Name: "Sales", Number: "+15550100", AgentName: "greeter",
	Language: "en"}

func defineSales(edit func(*flows.DefineFlow)) flows.DefineFlow {
	c := flows.DefineFlow{TenantID: "acct", ProjectID: "shop", ID: "cf-1", Name: " Sales ", Number: "+15550100", AgentName: "greeter",
		Language: "en"}
	if edit != nil {
		edit(&c)
	}
	return c
}

func TestAFlowIsDefinedOnce(t *testing.T) {
	got, err := defineSales(nil).Decide(flows.State{})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{sales}, got)
	got, err = defineSales(nil).Decide(flows.Flows.State(sales))
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestAChangedFlow(t *testing.T) {
	got, err := defineSales(func(c *flows.DefineFlow) { c.Number, c.AgentName, c.Language = "15550100", "", "" }).Decide(
		flows.Flows.State(sales))
	require.NoError(t, err)
	want := sales
	want.Number, want.AgentName, want.Language = "15550100", "", ""
	require.Equal(t, []event.Payload{want}, got)
}

func TestNamesAndNumbersAreUniqueInTheProject(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*flows.DefineFlow)
		ok   bool
	}{
		"the same name":               {func(c *flows.DefineFlow) { c.Number = "1" }, false},
		"the same number":             {func(c *flows.DefineFlow) { c.Name = "Service" }, false},
		"the number without its plus": {func(c *flows.DefineFlow) { c.Name, c.Number = "Service", "15550100" }, false},
		"another name and number":     {func(c *flows.DefineFlow) { c.Name, c.Number = "Service", "+15550101" }, true},
	} {
		_, err := defineSales(func(d *flows.DefineFlow) { d.ID = "cf-2"; c.edit(d) }).Decide(flows.Flows.State(sales))
		if c.ok {
			require.NoError(t, err, name)
			continue
		}
		require.True(t, fault.Is(err, fault.Conflict), name)
	}
}

func TestFindingTheFlowOfACaller(t *testing.T) {
	sip := flows.FlowDefined{FlowID: "cf-2", Name: "SIP", Number: "sales.desk"}
	s := flows.Flows.State(sales, sip)
	for number, want := range map[string]string{"+15550100": "cf-1", "15550100": "cf-1", "sales.desk": "cf-2", "+sales.desk": "",
		"Sales.desk": "", "1555010": "", "": ""} {
		f, ok := s.ByNumber(number)
		require.Equal(t, want, f.ID, number)
		require.Equal(t, want != "", ok, number)
	}
	_, ok := s.ByName("Sales")
	require.True(t, ok)
}

func TestWrongFieldsOfAFlow(t *testing.T) {
	for field, edits := range map[string][]func(*flows.DefineFlow){
		"metadata.id": {
			func(c *flows.DefineFlow) { c.ID = "cf-" }, func(c *flows.DefineFlow) { c.ID = "1" },
			func(c *flows.DefineFlow) { c.ID = "cf-" + strings.Repeat("x", 126) },
		},
		"metadata.name":  {func(c *flows.DefineFlow) { c.Name = "" }},
		"spec.projectId": {func(c *flows.DefineFlow) { c.ProjectID = "" }},
		"spec.number": {
			func(c *flows.DefineFlow) { c.Number = "" }, func(c *flows.DefineFlow) { c.Number = "a@b" },
			func(c *flows.DefineFlow) { c.Number = strings.Repeat("1", 65) },
		},
		"spec.agentName": {func(c *flows.DefineFlow) { c.AgentName = "a\nb" }},
		"spec.language":  {func(c *flows.DefineFlow) { c.Language = "english!" }},
	} {
		for _, edit := range edits {
			_, err := defineSales(edit).Decide(flows.State{})
			require.Equal(t, []string{field}, faulttest.Fields(t, err))
		}
	}
	_, err := defineSales(func(c *flows.DefineFlow) { c.Number = strings.Repeat("1", 64) }).Decide(flows.State{})
	require.NoError(t, err)
}

func TestARemovedFlowFreesItsNumber(t *testing.T) {
	remove := flows.RemoveFlow{TenantID: "acct", ProjectID: "shop", ID: "cf-1"}
	got, err := remove.Decide(flows.Flows.State(sales))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{flows.FlowRemoved{TenantID: "acct", ProjectID: "shop", FlowID: "cf-1", Name: "Sales",
		Number: "+15550100"}}, got)
	gone := flows.Flows.State(sales, got[0])
	again, err := remove.Decide(gone)
	require.NoError(t, err)
	require.Empty(t, again)
	_, err = defineSales(func(c *flows.DefineFlow) { c.ID = "cf-2" }).Decide(gone)
	require.NoError(t, err)
}

func TestTwoProjectsNeverShareAStream(t *testing.T) {
	require.NotEqual(t, flows.Stream("a", "b-c"), flows.Stream("a-b", "c"))
}
