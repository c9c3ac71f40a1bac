//go:build interop

package interop

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The client of the Agent-User Interaction Protocol leads conversations with the example company's
// agents, scripted and led by a model, by Server-Sent Events and on a socket: none of its rules is broken.
func TestPeerClientOfAgUI(t *testing.T) {
	t.Parallel()
	s := server(t)
	dir, err := npm()
	require.NoError(t, err)
	channel := fmt.Sprintf(`{"name":"AG-UI","channelType":"mobile_ios","publicApiKeyId":"ak-acme-widget","followEnvironment":false,`+
		`"deploymentId":%q}`, s.Env["DEPLOYMENT_ID"])
	job{env: s.environ()}.run(t, "curl", "-sSf", fmt.Sprintf("%s/api/projects/%s/sdk-channels", s.URL, s.Env["BOT_ID"]),
		"-H", "Authorization: Bearer "+s.Env["PARLEY_TOKEN"], "-H", "Content-Type: application/json", "-d", channel)
	out := job{env: s.environ()}.run(t, "node", "--experimental-websocket", "interop/agui/run.mjs", filepath.Join(dir, "node_modules"))
	var seen struct {
		Types, Said, Socket []string
		Failed, State       string
	}
	require.NoError(t, json.Unmarshal([]byte(out), &seen), out)
	require.Equal(t, []string{"CUSTOM", "RUN_FINISHED", "RUN_STARTED", "STATE_SNAPSHOT", "STEP_FINISHED", "STEP_STARTED",
		"TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "TEXT_MESSAGE_START", "TOOL_CALL_END", "TOOL_CALL_RESULT", "TOOL_CALL_START"}, seen.Types)
	require.Equal(t, "Saved: 4711. Thank you.", seen.Said[len(seen.Said)-1])
	require.Equal(t, "ended", seen.State)
	require.Len(t, seen.Socket, 3)
	require.Contains(t, seen.Socket[1], "You said: billing", "a model has led")
	require.Equal(t, "NOT_FOUND", seen.Failed)
}
