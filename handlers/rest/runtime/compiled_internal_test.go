package runtime

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl/project"
)

// A problem is named by the agent and the field; one of the whole source by the agent alone.
func TestProblemsAreNamed(t *testing.T) {
	var named []string
	for _, field := range []string{"FLOW.START", ""} {
		p := project.Problem{Agent: "meter"}
		p.Field = field
		named = append(named, wrongIn([]project.Problem{p})[0].Field)
	}
	require.Equal(t, []string{"meter.FLOW.START", "meter"}, named)
}
