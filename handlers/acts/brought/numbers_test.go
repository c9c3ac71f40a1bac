package brought_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/handlers/acts/brought"
	"github.com/parley-platform/parley/projections/voice"
)

// called are the flows of numbers.
type called map[string][]voice.Called

func (c called) CalledNumber(_ context.Context, tenant, number string) ([]voice.Called, error) {
	return c[tenant+" "+number], nil
}

// Given a number, then whoever calls it gets all that its flow says: who answers, in which language, and whether it is recorded.
func TestTheFlowOfANumberThatIsCalled(t *testing.T) {
	desk := voice.Called{ProjectID: "a-1", FlowID: "cf-1", Name: "Desk", AgentName: "ann", Language: "en", Recording: true, AgentDSL: "DSL: 1"}
	quiet := voice.Called{ProjectID: "a-2", FlowID: "cf-2", Name: "Quiet", AgentName: "bob"}
	numbers := brought.Numbers{Flows: called{"acme 1": {desk}, "acme 2": {quiet}, "acme 3": {desk, quiet}}}
	for number, want := range map[string]*calls.Flow{
		"1": {ID: "cf-1", Name: "Desk", AgentName: "ann", Language: "en", Talks: true, Recorded: true},
		"2": {ID: "cf-2", Name: "Quiet", AgentName: "bob"},
		"3": nil, // of two projects
		"4": nil,
	} {
		project, flow, err := numbers.Of(t.Context(), "acme", number)
		require.NoError(t, err)
		require.Equal(t, want, flow, number)
		require.Equal(t, want != nil, project != "", number)
	}
	_, flow, err := numbers.Of(t.Context(), "other", "1")
	require.NoError(t, err)
	require.Nil(t, flow, "another account's number")
}
