package node_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

const (
	openAIPath = "/v1/chat/completions"
	modelsPath = "/v1/models"
)

// openAIFault is a refusal in OpenAI's form.
type openAIFault struct {
	Message, Type, Code string
	Param               *string
}

// refusedAsOpenAI reads a refusal, which has the four members and no others.
func (a *answer) refusedAsOpenAI(t *testing.T, status int, code fault.Code) (f openAIFault) {
	t.Helper()
	var body map[string]json.RawMessage
	a.must(t, status).into(t, &body)
	var members map[string]any
	require.NoError(t, json.Unmarshal(body["error"], &members))
	require.ElementsMatch(t, []string{"message", "type", "param", "code"}, keysOf(members))
	require.Len(t, body, 1)
	require.NoError(t, json.Unmarshal(body["error"], &f))
	require.Equal(t, string(code), f.Code, a.Text)
	require.NotEmpty(t, f.Message)
	want := map[int]string{401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}[status]
	switch {
	case status >= 500:
		want = "server_error"
	case want == "":
		want = "invalid_request_error"
	}
	require.Equal(t, want, f.Type)
	return f
}
