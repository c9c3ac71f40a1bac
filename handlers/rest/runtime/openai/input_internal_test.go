package openai

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/handlers/rest/runtime"
)

// Only who says false wants one tool at a time.
func TestParallelToolCallsAreRead(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		given *bool
		want  bool
	}{{nil, false}, {&yes, false}, {&no, true}} {
		in := &openAIIn{}
		in.Body.Messages = []OpenAIMessage{{Role: completions.User, Content: runtime.ChatContent(`"Hi"`)}}
		in.Body.ParallelToolCalls = c.given
		got, err := in.request()
		require.NoError(t, err)
		require.Equal(t, c.want, got.OneAtATime)
	}
}
