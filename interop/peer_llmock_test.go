//go:build interop

package interop

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// llmock is the address of a server of models that breaks on demand, which ends with the tests.
var llmock = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(repository, ".tools", "interop", "llmock")
	if err := quietly(repository, "scripts/pinned.sh", "venv", dir, filepath.Join("interop", "tools", "llmock.txt")); err != nil {
		return "", err
	}
	port := free()
	var out bytes.Buffer
	cmd := exec.Command(filepath.Join(dir, "bin", "llmock"), "serve", "--port", port, "--log-level", "warning")
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return "", err
	}
	endsWithTests(cmd)
	at := "http://127.0.0.1:" + port
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if res, err := http.Get(at + "/health"); err == nil {
			return at, res.Body.Close()
		}
	}
	return "", fmt.Errorf("the server that breaks on demand does not answer:\n%s", out.String())
})

// forms are those in which that server is asked.
var forms = []string{"openai", "anthropic"}

type does map[string]any // a behaviour, in the words of that server

// breaks is what models do, by their names. Each has its own, in each form: one that fails often is
// let rest.
var breaks = map[string][]does{
	"pause":        {{"type": "fail", "status": 429, "retry_after": 1, "times": 2}},
	"long-pause":   {{"type": "fail", "status": 429, "retry_after": 60, "times": nil}},
	"hiccup":       {{"type": "fail", "status": 500}},
	"overloaded":   {{"type": "fail", "status": 529}},
	"down":         {{"type": "fail", "status": 503, "times": nil}},
	"denied":       {{"type": "fail", "status": 401, "times": nil}},
	"whole":        {{"type": "reply", "text": "Hello Ann, how are you today?"}},
	"cut":          {{"type": "stream_fault", "kind": "disconnect", "after_chunks": 2}},
	"ends-early":   {{"type": "stream_fault", "kind": "truncate", "after_chunks": 2}},
	"no-json":      {{"type": "stream_fault", "kind": "malformed", "after_chunks": 2}},
	"silence":      {{"type": "stream_fault", "kind": "stall", "after_chunks": 1, "stall_seconds": 20}},
	"no-arguments": {{"type": "tool_fault", "kind": "malformed_arguments"}},
	"made-up":      {{"type": "tool_fault", "kind": "unknown_tool"}},
	"half-call": {{"type": "reply", "tool_calls": []does{{"name": "look", "arguments": does{"town": "Graz"}}}},
		{"type": "stream_fault", "kind": "disconnect", "after_chunks": 2}},
}

// breaking is a server that asks those models, and where they are.
type breaking struct {
	Server
	at string
}

var withLLMock = sync.OnceValues(func() (breaking, error) {
	at, err := llmock()
	if err != nil {
		return breaking{}, err
	}
	models := fmt.Sprintf("providers:\n  - {name: openai, kind: openai, baseUrl: %[1]s/v1, apiKeyEnv: LLMOCK_KEY}\n"+
		"  - {name: anthropic, kind: anthropic, baseUrl: %[1]s/anthropic, apiKeyEnv: LLMOCK_KEY}\nmodels:\n", at)
	var told []does
	for name, all := range breaks {
		for _, form := range forms {
			models += fmt.Sprintf("  - {id: %[1]s-%[2]s, provider: %[2]s, model: %[1]s-%[2]s}\n", name, form)
			for _, one := range all {
				one = maps.Clone(one)
				one["match"] = does{"model": name + "-" + form}
				told = append(told, one)
			}
		}
	}
	data, err := json.Marshal(does{"behaviors": told})
	if err != nil {
		return breaking{}, err
	}
	res, err := http.Post(at+"/_llmock/scenario", "application/json", bytes.NewReader(data))
	if err != nil {
		return breaking{}, err
	}
	if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusCreated {
		return breaking{}, fmt.Errorf("the server that breaks on demand does not take what it is to do: %s", res.Status)
	}
	file := filepath.Join(scratch, "llmock.yaml")
	if err := os.WriteFile(file, []byte(models), 0o600); err != nil {
		return breaking{}, err
	}
	if err := os.Setenv("LLMOCK_KEY", "it wants none"); err != nil {
		return breaking{}, err
	}
	s, err := start("llmock", "--models", file)
	return breaking{s, at}, err
})

func whereModelsBreak(t *testing.T) breaking {
	t.Helper()
	s, err := withLLMock()
	require.NoError(t, err)
	return s
}

// asked is how often a model was.
func (s breaking) asked(t *testing.T, model string) (times int) {
	t.Helper()
	res, err := http.Get(s.at + "/_llmock/requests")
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	var all struct{ Requests []struct{ Model string } }
	require.NoError(t, json.NewDecoder(res.Body).Decode(&all))
	for _, r := range all.Requests {
		if r.Model == model {
			times++
		}
	}
	return times
}

// Given a provider that refuses for now, then it is asked again, not before it says and not for ever;
// one that refuses for good is not.
func TestPeerModelsThatRefuse(t *testing.T) {
	t.Parallel()
	s := whereModelsBreak(t)
	t.Cleanup(func() { s.judged(t) })
	for name, c := range map[string]struct{ status, asked int }{
		"pause": {200, 3}, "hiccup": {200, 2}, "overloaded": {200, 2}, // and then it answers
		"long-pause": {429, 1}, "down": {503, 3}, "denied": {503, 1},
	} {
		for _, form := range forms {
			t.Run(name+"-"+form, func(t *testing.T) {
				t.Parallel()
				res := s.open(t, "/api/v1/chat/complete", s.question(name+"-"+form))
				said, err := io.ReadAll(res.Body)
				require.NoError(t, err)
				require.NoError(t, res.Body.Close())
				require.Equal(t, c.status, res.StatusCode, string(said))
				require.Equal(t, c.asked, s.asked(t, name+"-"+form))
				if name == "long-pause" {
					require.Equal(t, "60", res.Header.Get("Retry-After"))
				}
			})
		}
	}
}

// judged is what the server that breaks thinks of how it was asked: nobody came before the pause was
// over, and nobody asked for ever, or for what was refused for good.
func (s breaking) judged(t *testing.T) {
	res, err := http.Get(s.at + "/_llmock/verdict")
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	var verdict struct {
		Findings []struct{ Severity, Code, Path string }
	}
	require.NoError(t, json.NewDecoder(res.Body).Decode(&verdict))
	for _, f := range verdict.Findings {
		require.NotContains(t, []string{"retry_after_ignored", "retried_non_retryable", "retry_storm", "no_backoff"}, f.Code, "%+v", f)
	}
}

// Given a stream that breaks in the middle, then it ends with an error, and what was said before is told;
// it is not asked for again.
func TestPeerModelsThatBreakOff(t *testing.T) {
	t.Parallel()
	s := whereModelsBreak(t)
	for name, last := range map[string]string{"whole": "complete", "cut": "error", "ends-early": "error", "no-json": "error"} {
		for _, form := range forms {
			t.Run(name+"-"+form, func(t *testing.T) {
				t.Parallel()
				res := s.open(t, "/api/v1/chat/stream", s.question(name+"-"+form))
				var events []string
				for lines := bufio.NewScanner(res.Body); lines.Scan(); {
					if event, is := strings.CutPrefix(lines.Text(), "event: "); is {
						events = append(events, event)
					}
				}
				require.NoError(t, res.Body.Close())
				require.Equal(t, last, events[len(events)-1], events)
				require.Len(t, slices.DeleteFunc(events, func(e string) bool { return e != "complete" && e != "error" }), 1)
				require.Equal(t, 1, s.asked(t, name+"-"+form))
			})
		}
	}
}

const brokenAgent = `DSL: 1
AGENT: by-%[1]s
GOAL: Look up the weather.
MODEL: {ID: %[1]s, TIMEOUT: 4s}
TOOLS:
  look: {KIND: code, SOURCE: "return args.town", DESCRIPTION: Look up the weather of a town., PARAMS: {type: object, required: [town],
    properties: {town: {type: string, minLength: 1}}}}
`

const failing = "MODEL_FAILED"

// Given a model that says half a call of a tool, one with arguments that are no JSON, or nothing more,
// then no call is made, and the turn ends as failed; of a tool that is none it is told.
func TestPeerModelsThatCallToolsBadly(t *testing.T) {
	t.Parallel()
	s := whereModelsBreak(t)
	project := "/api/projects/" + s.Env["BOT_ID"]
	for name, failed := range map[string]string{"half-call": failing, "silence": failing, "no-arguments": failing, "made-up": ""} {
		for _, form := range forms {
			t.Run(name+"-"+form, func(t *testing.T) {
				t.Parallel()
				model := name + "-" + form
				s.asks(t, project+"/agents", map[string]any{"name": "by-" + model, "dslContent": fmt.Sprintf(brokenAgent, model)})
				var made struct{ Session struct{ ID string } }
				require.NoError(t, json.Unmarshal(s.asks(t, project+"/sessions", map[string]any{"agentId": "by-" + model}), &made))
				var answer struct {
					Response    string
					TraceEvents []struct {
						Type string
						Data map[string]any
					}
				}
				told := s.asks(t, "/api/v1/chat/agent", map[string]any{"projectId": s.Env["BOT_ID"], "sessionId": made.Session.ID,
					"message": "What is the weather in Graz?"})
				require.NoError(t, json.Unmarshal(told, &answer))
				end := answer.TraceEvents[len(answer.TraceEvents)-1]
				require.Equal(t, "turn_ended", end.Type, "%s", told)
				if failed == "" {
					require.NotContains(t, end.Data, "error", "%s", told)
					require.NotEmpty(t, answer.Response, "%s", told)
					require.Greater(t, s.asked(t, model), 1, "it was told what was wrong")
					return
				}
				require.Equal(t, failed, end.Data["error"], "%s", told)
				for _, e := range answer.TraceEvents {
					require.NotEqual(t, "tool_call", e.Type, "%s", told)
				}
			})
		}
	}
}
