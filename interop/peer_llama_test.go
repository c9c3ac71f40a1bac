//go:build interop

package interop

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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

// llama is the address of a llama.cpp server with a small model, which ends with the tests.
var llama = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(repository, ".tools", "interop", "llama")
	// Without what the package of the model needs itself: only its file is taken.
	if err := quietly(repository, "scripts/pinned.sh", "venv", dir, filepath.Join("interop", "tools", "llama.txt"), "--no-deps"); err != nil {
		return "", err
	}
	cmd := exec.Command(filepath.Join(dir, "bin", "python"), "interop/llama/serve.py")
	cmd.Dir = repository
	in, err := cmd.StdinPipe() // which ends with us, and it with that
	if err != nil {
		return "", err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	endsWithTests(cmd)
	_ = in // stays open for as long as we live
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "http://") {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return lines.Text(), nil
		}
	}
	return "", fmt.Errorf("the model's server ended before it had an address: %w", cmd.Wait())
})

// talkers are the models of that server, by the form in which it is asked.
var talkers = []string{"llama-openai", "llama-anthropic"}

// withLlama is a server that asks the model in both forms.
var withLlama = sync.OnceValues(func() (Server, error) {
	at, err := llama()
	if err != nil {
		return Server{}, err
	}
	file := filepath.Join(scratch, "llama.yaml")
	models := fmt.Sprintf(`providers:
  - {name: by-openai, kind: openai, baseUrl: %[1]s/v1, apiKeyEnv: LLAMA_KEY}
  - {name: by-anthropic, kind: anthropic, baseUrl: %[1]s, apiKeyEnv: LLAMA_KEY}
models:
  - {id: llama-openai, provider: by-openai, model: smollm2, prices: {version: 2026-11, input: 0.1, output: 0.4}}
  - {id: llama-anthropic, provider: by-anthropic, model: smollm2}
  - {id: llama-left, provider: by-openai, model: smollm2}
tiers:
  balanced: [llama-openai, llama-anthropic]
`, at)
	if err := os.WriteFile(file, []byte(models), 0o600); err != nil {
		return Server{}, err
	}
	if err := os.Setenv("LLAMA_KEY", "it wants none"); err != nil { // as configured ones do
		return Server{}, err
	}
	return start("llama", "--models", file)
})

// asks a server for something, and gives the answer, which must be one.
func (s Server) asks(t *testing.T, path string, body any) []byte {
	t.Helper()
	res := s.open(t, path, body)
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Less(t, res.StatusCode, 300, string(data))
	return data
}

func (s Server) open(t *testing.T, path string, body any) *http.Response {
	t.Helper()
	method, data := http.MethodGet, []byte(nil)
	if body != nil {
		var err error
		data, err = json.Marshal(body)
		require.NoError(t, err)
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, bytes.NewReader(data))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+s.Env["PARLEY_TOKEN"])
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	return res
}

// usage is what an answer took: in chat/complete, and in the last event of chat/stream.
type usage struct {
	InputTokens, OutputTokens, TotalTokens int
	EstimatedCost                          *float64
}

func (u usage) isTrue(t *testing.T, said string) {
	t.Helper()
	require.NotEmpty(t, strings.TrimSpace(said))
	require.Greater(t, u.InputTokens, 5)
	require.Positive(t, u.OutputTokens)
	require.LessOrEqual(t, u.OutputTokens, fewTokens)
	require.Equal(t, u.InputTokens+u.OutputTokens, u.TotalTokens)
}

const fewTokens = 24

func (s Server) question(model string) map[string]any {
	return map[string]any{"projectId": s.Env["BOT_ID"], "modelId": model, "temperature": 0, "maxTokens": fewTokens,
		"messages": []map[string]string{{"role": "system", "content": "You are kind."}, {"role": "user", "content": "Say hello to Ann."}}}
}

// A model that nobody here wrote answers in both forms, whole and as a stream.
func TestPeerLlamaCompletes(t *testing.T) {
	t.Parallel()
	s, err := withLlama()
	require.NoError(t, err)
	for _, model := range talkers {
		t.Run(model, func(t *testing.T) {
			var whole struct {
				Content, FinishReason string
				Usage                 usage
			}
			require.NoError(t, json.Unmarshal(s.asks(t, "/api/v1/chat/complete", s.question(model)), &whole))
			whole.Usage.isTrue(t, whole.Content)
			require.Contains(t, []string{"end_turn", "max_tokens"}, whole.FinishReason)
			require.Equal(t, model == talkers[0], whole.Usage.EstimatedCost != nil, "only one has prices")

			res := s.open(t, "/api/v1/chat/stream", s.question(model))
			defer func() { _ = res.Body.Close() }()
			told, took := streamed(t, res.Body)
			took.isTrue(t, told)
			require.Equal(t, whole.Usage.InputTokens, took.InputTokens, "the same was asked")
		})
	}
}

// streamed reads a stream of Server-Sent Events to its end: what its pieces say together, and
// what the last event says.
func streamed(t *testing.T, from io.Reader) (text string, took usage) {
	t.Helper()
	event := ""
	for lines := bufio.NewScanner(from); lines.Scan(); {
		name, data, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "event":
			event = data
		case "data":
			switch event {
			case "text_delta":
				var piece struct{ Delta string }
				require.NoError(t, json.Unmarshal([]byte(data), &piece))
				text += piece.Delta
			case "complete":
				require.NoError(t, json.Unmarshal([]byte(data), &took))
			}
		}
	}
	require.Equal(t, "complete", event, "the last event")
	return text, took
}

// An agent that the model leads answers, and what that took is counted.
func TestPeerLlamaLeadsAnAgent(t *testing.T) {
	t.Parallel()
	s, err := withLlama()
	require.NoError(t, err)
	project := "/api/projects/" + s.Env["BOT_ID"]
	for _, model := range talkers {
		t.Run(model, func(t *testing.T) {
			agent := "by-" + model
			s.asks(t, project+"/agents", map[string]any{"name": agent,
				"dslContent": "DSL: 1\nAGENT: " + agent + "\nGOAL: Greet people.\nMODEL: {ID: " + model + ", MAX_TOKENS: 24, TEMPERATURE: 0}\n"})
			var made struct{ Session struct{ ID string } }
			require.NoError(t, json.Unmarshal(s.asks(t, project+"/sessions", map[string]any{"agentId": agent}), &made))
			var answer struct{ Response string }
			require.NoError(t, json.Unmarshal(s.asks(t, "/api/v1/chat/agent", map[string]any{"projectId": s.Env["BOT_ID"],
				"sessionId": made.Session.ID, "message": "Hello, I am Ann."}), &answer))
			require.NotEmpty(t, strings.TrimSpace(answer.Response))
			var figures struct{ Metrics struct{ TokenCount int } }
			require.NoError(t, json.Unmarshal(s.asks(t, project+"/sessions/"+made.Session.ID+"/metrics", nil), &figures))
			require.Positive(t, figures.Metrics.TokenCount)
		})
	}
}

// left is a model that one test alone asks.
const left = "llama-left"

// used is what chat/usage says of one model.
type used struct {
	ModelID                   string
	RequestCount, TotalTokens int
}

// Who leaves a stream ends the work of the model, and what was said until then is counted.
func TestPeerLlamaIsLeft(t *testing.T) {
	t.Parallel()
	s, err := withLlama()
	require.NoError(t, err)
	long := s.question(left)
	long["maxTokens"] = 2000
	long["messages"] = []map[string]string{{"role": "user", "content": "Count from one to one thousand, one number a line."}}
	res := s.open(t, "/api/v1/chat/stream", long)
	_, err = bufio.NewReader(res.Body).ReadString('}')
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Eventually(t, func() bool {
		var all struct{ ByModel []used }
		require.NoError(t, json.Unmarshal(s.asks(t, "/api/v1/chat/usage?groupBy=model&projectId="+s.Env["BOT_ID"], nil), &all))
		return slices.ContainsFunc(all.ByModel, func(m used) bool {
			return m.ModelID == left && m.RequestCount == 1 && m.TotalTokens > 0
		})
	}, patience, 100*time.Millisecond)
}
