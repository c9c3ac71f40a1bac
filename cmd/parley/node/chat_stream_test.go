//go:build !apache

package node_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
)

// tells says something to an agent, and has the turn told.
func (w talkWorld) tells(t *testing.T, body fields, headers ...string) *turnReader {
	t.Helper()
	data, err := json.Marshal(body.and(fields{"projectId": mainApp}))
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.b.URL()+"/api/v1/chat/agent", strings.NewReader(string(data)))
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	req.Header.Set("Authorization", "Bearer "+w.auth)
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = res.Body.Close() })
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	return &turnReader{res, lines}
}

// deltas are what a model was about to say.
func deltas(all []told) string {
	var b strings.Builder
	for _, e := range all {
		if e.name == "delta" {
			b.WriteString(e.data["delta"].(string))
		}
	}
	return b.String()
}

// speaker is a model that says what it is handed, word by word, to each who asks.
type speaker struct {
	*httptest.Server
	words chan string // "" ends an answer, as a | behind its last word does at once; "!" breaks it off
}

func newSpeaker(t *testing.T) *speaker {
	s := &speaker{words: make(chan string)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			select {
			case <-r.Context().Done():
				return
			case word := <-s.words:
				if word == "!" {
					panic(http.ErrAbortHandler)
				}
				word, ends := strings.CutSuffix(word, "|")
				if word != "" {
					text, _ := json.Marshal(word)
					_, _ = fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"content":%s}}]}`+"\n\n", text)
				}
				if ends || word == "" {
					_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n"+"data: [DONE]\n\n")
					return
				}
				w.(http.Flusher).Flush()
			}
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// newSpoken is a tenant whose agents a speaker leads.
func newSpoken(t *testing.T) (talkWorld, *speaker) {
	w, s := newTalkWorld(t), newSpeaker(t)
	w.posted(t, nil, ofKind("ModelProvider", "speaker", fields{"projectId": mainAlias, "kind": "openai", "baseUrl": s.URL + "/v1",
		"apiKey": "k", "models": []fields{{"id": "spoken", "tier": "balanced"}}})).must(t, 200)
	for name, more := range map[string]string{"teller": "", "guarded": `GUARDRAILS: {polite: {ON: output, CHECK: '!text.contains("damn")',` +
		` ACTION: redact, PATTERN: damn}}` + "\n"} {
		w.apply(t, "Agent", "a-"+name, name, fields{"projectId": mainApp, "dslContent": "DSL: 1\nAGENT: " + name + "\nGOAL: Tell.\n" + more})
	}
	return w, s
}

// Given a turn that a model leads, then what it is about to say is told while it speaks, and at
// last the answer as it is without a stream, and as the transcript has it.
func TestATurnIsToldAsItGoesOn(t *testing.T) {
	t.Parallel()
	w, model := newSpoken(t)
	session := w.begin(t, "teller")
	key := []string{"Idempotency-Key", "told-" + session}
	r := w.tells(t, fields{"sessionId": session, "message": "Hello"}, key...)
	require.Equal(t, "text/event-stream", r.Header.Get("Content-Type"))
	begun := r.until(t, "begun")[0]
	require.Equal(t, []any{session, 1.0}, []any{begun.data["sessionId"], begun.data["turn"]})
	model.words <- "Once "
	first := r.until(t, "delta")
	require.Equal(t, "Once ", first[len(first)-1].data["delta"], "while the model speaks")
	require.Equal(t, "teller", first[len(first)-1].data["agentName"])
	model.words <- "upon a time."
	all := append(first, r.until(t, "delta")...) // what is answered is not told word by word any more
	model.words <- ""
	all = append(all, r.rest(t)...)
	require.Equal(t, "Once upon a time.", deltas(all))
	var names []string
	for _, e := range all {
		if e.name == "trace" {
			e.name += " " + e.data["type"].(string)
		}
		if names = append(names, e.name); e.name == "said" {
			require.Equal(t, "Once upon a time.", e.data["text"])
		}
	}
	require.Equal(t, []string{"trace turn_started", "delta", "delta", "trace llm_call", "said", "trace turn_ended", "complete"}, names)

	answer := w.ask(t, "POST", "/api/v1/chat/agent", fields{"sessionId": session, "message": "Hello", "projectId": mainApp}, key...)
	require.Equal(t, strings.TrimSpace(answer.must(t, 200).Text), all[len(all)-1].raw, "what the JSON form gives")
	again := w.tells(t, fields{"sessionId": session, "message": "Hello"}, key...)
	require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	whole := again.rest(t)
	require.Equal(t, all[len(all)-1].raw, whole[len(whole)-1].raw)
	require.Empty(t, deltas(whole), "nothing of it is provisional any more")
	require.Contains(t, w.ask(t, "GET", "/api/v1/sessions/"+session+"/transcripts", nil).must(t, 200).Text, "Once upon a time.")
}

// Given a model that breaks off, then what it was about to say is taken back; a cancel ends the
// stream with what came of it, and what the model had taken until then is counted, in place of nothing.
func TestWhatAModelDoesNotSayIsTakenBack(t *testing.T) {
	t.Parallel()
	w, model := newSpoken(t)
	session := w.begin(t, "teller")
	r := w.tells(t, fields{"sessionId": session, "message": "Hello"})
	model.words <- "Damn "
	r.until(t, "delta")
	model.words <- "!"
	all := r.until(t, "complete")
	var reset map[string]any
	for _, e := range all {
		if e.name == "reset" {
			reset = e.data
		}
	}
	require.Equal(t, "failed", reset["reason"])
	require.Equal(t, "", all[len(all)-1].data["response"])

	used := func() map[string]float64 {
		var u chatUsage
		w.ask(t, "GET", usagePath, nil).must(t, 200).into(t, &u)
		return u.Summary
	}
	before := used()
	require.EqualValues(t, 1, before["requestCount"])
	r = w.tells(t, fields{"sessionId": session, "message": "Hello?"})
	model.words <- "Well "
	r.until(t, "delta")
	w.ask(t, "POST", sessionsPath+"/"+session+"/cancel", nil).must(t, 200)
	all = r.rest(t)
	require.Equal(t, "cancelled", all[len(all)-1].data["action"].(map[string]any)["type"])
	until(t, "what was cut off is counted", func() bool { return used()["totalTokens"] > before["totalTokens"] })
	require.EqualValues(t, 2, used()["requestCount"])
}

// Given guardrails of output, then nothing is told before they have judged it.
func TestGuardrailsHoldBackWhatIsSaid(t *testing.T) {
	t.Parallel()
	w, model := newSpoken(t)
	session := w.begin(t, "guarded")
	r := w.tells(t, fields{"sessionId": session, "message": "Hello"})
	for _, word := range []string{"Well, ", "damn.", ""} {
		model.words <- word
	}
	all := r.rest(t)
	require.Empty(t, deltas(all))
	for _, e := range all {
		require.NotContains(t, e.raw, "damn")
	}
	require.Equal(t, "Well, [redacted].", all[len(all)-1].data["response"])
}

// A caller who goes away cancels nothing; what is refused is answered as elsewhere; a scripted
// turn is told in one go.
func TestTurnsThatAreToldOtherwise(t *testing.T) {
	t.Parallel()
	w, model := newSpoken(t)
	session := w.begin(t, "teller")
	r := w.tells(t, fields{"sessionId": session, "message": "Hello"})
	model.words <- "Once "
	r.until(t, "delta")
	_ = r.Body.Close()
	model.words <- "more."
	model.words <- ""
	require.Eventually(t, func() bool {
		return strings.Contains(w.ask(t, "GET", "/api/v1/sessions/"+session+"/transcripts", nil).Text, "Once more.")
	}, patience, 5e6)

	refused := w.tells(t, fields{"sessionId": "none", "message": "Hello"})
	require.Equal(t, []any{http.StatusNotFound, "application/json"}, []any{refused.StatusCode, refused.Header.Get("Content-Type")})
	body, _ := io.ReadAll(refused.Body)
	require.Contains(t, string(body), fault.NotFound)

	all := w.tells(t, fields{"sessionId": w.begin(t, "meter"), "message": "Hi"}).rest(t)
	require.Equal(t, "begun", all[0].name)
	require.Equal(t, "Good day.\nWhich meter?", all[len(all)-1].data["response"])
}
