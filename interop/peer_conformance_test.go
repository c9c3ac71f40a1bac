//go:build interop

package interop

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// conformance are the Model Context Protocol's own tests of clients, with the Node.js that runs them:
// they need a newer one than the others.
var conformance = sync.OnceValues(func() (command []string, err error) {
	dir := filepath.Join(repository, ".tools", "interop", "conformance")
	if err := quietly(repository, "scripts/pinned.sh", "npm", dir, "interop/tools/conformance/package-lock.json"); err != nil {
		return nil, err
	}
	nodes, err := filepath.Glob(filepath.Join(dir, "node_modules", "node-*", "bin", "node"))
	if err != nil || len(nodes) != 1 {
		return nil, fmt.Errorf("the protocol's tests need Node.js 22, which interop/tools/conformance/package.json names for Linux on x64 and "+
			"arm64 only: name the package of this machine there, or run this on one of those (%v)", err)
	}
	return []string{nodes[0], filepath.Join(dir, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")}, nil
})

const conformanceAgent = `DSL: 1
AGENT: %[1]s
TOOLS: {tool: {KIND: mcp, SERVER: srv-%[1]s, TOOL: %[2]s, EFFECT: read, TIMEOUT: 20s, PARAMS: {type: object, properties: {a: {}, b: {}}}}}
FLOW:
  START: ask
  STEPS:
    ask: {CALL: tool, WITH: {a: "5", b: "3"}, AS: session.answer, ON_ERROR: {SAY: "It failed.", END: true}, NEXT: told}
    told: {SAY: "{{ session.answer }}", END: true}
`

// Given the servers of the protocol's tests, when an agent calls their tools, then they find nothing
// against our client: how it begins, how it calls, and how it goes on with an answer that the server
// ended early. Left out are those that want what tools of agents do not have: somebody who is asked
// (elicitation), and OAuth.
func TestPeerConformanceOfTheModelContextProtocol(t *testing.T) {
	t.Parallel()
	s := server(t)
	program, err := binary()
	require.NoError(t, err)
	tests, err := conformance()
	require.NoError(t, err)
	for scenario, c := range map[string]struct{ tool, says string }{
		"initialize": {"nothing", ""}, // its server answers every call with nothing
		"tools_call": {"add_numbers", "The sum of 5 and 3 is 8"},
		"sse-retry":  {"test_reconnection", "Reconnection test completed successfully"},
	} {
		t.Run(scenario, func(t *testing.T) {
			agent := "conform-" + strings.NewReplacer("_", "-").Replace(scenario)
			// The client that is tested is an agent of the server: the command that the tests start tells the
			// address of theirs, and waits until the agent is done.
			address, done := make(chan string, 1), make(chan struct{})
			client := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				at, _ := io.ReadAll(r.Body)
				address <- string(at)
				<-done
			}))
			t.Cleanup(client.Close)
			ended := make(chan error, 1)
			var out string
			dir := t.TempDir()
			go func() {
				var err error
				out, err = job{dir: dir}.try(tests[0], tests[1], "client", "--scenario", scenario, "--timeout", "120000", "--command",
					"curl -sSf "+client.URL+" --data-binary")
				ended <- err
			}()
			said := ""
			select {
			case at := <-address:
				func() {
					defer close(done)
					said = s.conform(t, program, agent, c.tool, at)
				}()
				err = <-ended
			case err = <-ended:
				close(done)
			}
			require.NoError(t, err, out)
			require.Regexp(t, `Passed: (\d)/\d, 0 failed, 0 warnings`, out)
			require.Equal(t, c.says, said, out)
		})
	}
}

// conform has an agent call a tool of the server that is there, and gives what it says.
func (s Server) conform(t *testing.T, program, agent, tool, at string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "server.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, conformanceTool, agent, at), 0o600))
	job{env: s.environ()}.run(t, program, "apply", "-f", file)
	deployed := job{env: s.environ()}.run(t, "curl", "-s", s.URL+"/api/public/tools/srv-"+agent+"/deploy",
		"-H", "x-api-key: "+s.Env["PARLEY_API_KEY"], "-H", "Content-Type: application/json", "-d", `{"isAsync":false}`)
	require.NotContains(t, deployed, "error", deployed)
	project := "/api/projects/" + s.Env["BOT_ID"]
	s.asks(t, project+"/agents", map[string]any{"name": agent, "dslContent": fmt.Sprintf(conformanceAgent, agent, tool)})
	var made struct{ Session struct{ ID string } }
	require.NoError(t, json.Unmarshal(s.asks(t, project+"/sessions", map[string]any{"agentId": agent}), &made))
	var answer struct{ Response string }
	told := s.asks(t, "/api/v1/chat/agent", map[string]any{"projectId": s.Env["BOT_ID"], "sessionId": made.Session.ID, "message": "go"})
	require.NoError(t, json.Unmarshal(told, &answer))
	return answer.Response
}

const conformanceTool = `kind: Tool
metadata: {id: srv-%[1]s, name: %[1]s, tenant: acme}
spec: {projectId: acme-bot, description: A server of the protocol's tests, type: mcp, url: %[2]q}
`
