//go:build interop

package interop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// everything is the address of the Model Context Protocol's own example server, which has a tool of
// each kind. It ends with the tests.
var everything = sync.OnceValues(func() (string, error) {
	dir, err := npm()
	if err != nil {
		return "", err
	}
	port := free()
	address := "127.0.0.1:" + port
	var out bytes.Buffer
	cmd := exec.Command(filepath.Join(dir, "node_modules", ".bin", "mcp-server-everything"), "streamableHttp")
	cmd.Env = append(os.Environ(), "PORT="+port)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return "", err
	}
	endsWithTests(cmd)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if res, err := http.Get("http://" + address + "/mcp"); err == nil {
			return "http://" + address + "/mcp", res.Body.Close()
		}
	}
	return "", fmt.Errorf("the server of the Model Context Protocol does not answer:\n%s", out.String())
})

const everythingTool = `kind: Tool
metadata: {id: srv-everything, name: everything, tenant: acme}
spec: {projectId: acme-bot, description: The protocol's own example server, type: mcp, url: %q}
`

const everythingAgent = `DSL: 1
AGENT: caller
TOOLS:
  echo: {KIND: mcp, SERVER: srv-everything, TOOL: echo, EFFECT: read, PARAMS: {type: object, properties: {message: {}}}}
  sum: {KIND: mcp, SERVER: srv-everything, TOOL: get-sum, EFFECT: read, PARAMS: {type: object, properties: {a: {}, b: {}}}}
  weather:
    {KIND: mcp, SERVER: srv-everything, TOOL: get-structured-content, EFFECT: read, PARAMS: {type: object, properties: {location: {}}}}
  nothing: {KIND: mcp, SERVER: srv-everything, TOOL: no-such-tool, EFFECT: read}
FLOW:
  START: echo
  STEPS:
    echo: {CALL: echo, WITH: {message: turn.text}, AS: session.echo, NEXT: sum}
    sum: {CALL: sum, WITH: {a: "2", b: "40"}, AS: session.sum, NEXT: weather}
    weather: {CALL: weather, WITH: {location: '"New York"'}, AS: session.weather, NEXT: nothing}
    nothing: {CALL: nothing, ON_ERROR: {NEXT: told}, NEXT: told}
    told: {SAY: "{{ session.echo }} | {{ session.sum }} | {{ session.weather.conditions }}", END: true}
`

// An agent calls tools of the protocol's own server: texts, structured content, and one that is not there.
func TestPeerServerOfTheModelContextProtocol(t *testing.T) {
	t.Parallel()
	s := server(t)
	at, err := everything()
	require.NoError(t, err)
	program, err := binary()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "everything.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, everythingTool, at), 0o600))
	job{env: s.environ()}.run(t, program, "apply", "-f", file)

	deployed := job{env: s.environ()}.run(t, "curl", "-s", s.URL+"/api/public/tools/srv-everything/deploy",
		"-H", "x-api-key: "+s.Env["PARLEY_API_KEY"], "-H", "Content-Type: application/json", "-d", `{"isAsync":false}`)
	require.NotContains(t, deployed, "error", deployed)

	project := "/api/projects/" + s.Env["BOT_ID"]
	s.asks(t, project+"/agents", map[string]any{"name": "caller", "dslContent": everythingAgent})
	var made struct{ Session struct{ ID string } }
	require.NoError(t, json.Unmarshal(s.asks(t, project+"/sessions", map[string]any{"agentId": "caller"}), &made))
	var answer struct{ Response string }
	told := s.asks(t, "/api/v1/chat/agent", map[string]any{"projectId": s.Env["BOT_ID"], "sessionId": made.Session.ID, "message": "ahoy"})
	require.NoError(t, json.Unmarshal(told, &answer))
	require.Regexp(t, `^Echo: ahoy \| The sum of 2 and 40 is 42\. \| \S+`, answer.Response, "%s", told)
	require.Contains(t, string(told), `"UNKNOWN_TOOL"`, "servers of this SDK say so as an error of the tool")
}
