package llm_test

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/anthropic"
	"github.com/parley-platform/parley/adapters/llm"
	"github.com/parley-platform/parley/adapters/openai"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
)

// Streams in the form that the two providers publish.
var (
	//go:embed testdata/openai.sse
	openAIStream string
	//go:embed testdata/anthropic.sse
	anthropicStream string
)

var (
	hello = completions.Request{Messages: []completions.Message{{Role: completions.System, Text: "Be kind"},
		{Role: completions.User, Text: "Hello"}}, Tools: []completions.Tool{{Name: "find"}}}
	bothCalls = []completions.ToolCall{{ID: "call_1", Name: "find", Arguments: `{"a":1}`}, {ID: "call_2", Name: "look", Arguments: `{}`}}
)

// provider opens a provider of a kind at an address.
func provider(t *testing.T, kind, url string) llm.Provider {
	t.Helper()
	if kind == "anthropic" {
		p, err := llm.NewAnthropicChat(anthropic.Config{APIKey: "sk-test", BaseURL: url, FirstByte: time.Second,
			Silence: 100 * time.Millisecond})
		require.NoError(t, err)
		return p
	}
	p, err := llm.NewOpenAIChat(openai.Config{APIKey: "sk-test", BaseURL: url + "/v1", FirstByte: time.Second,
		Silence: 100 * time.Millisecond})
	require.NoError(t, err)
	return p
}

func serving(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return s.URL
}

func streamed(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, text)
}

var recorded = map[string]string{"openai": openAIStream, "anthropic": anthropicStream}

func TestRecordedStreamsAreRead(t *testing.T) {
	for kind, stream := range recorded {
		var asked string
		url := serving(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			asked = r.URL.Path + " " + r.Header.Get("Authorization") + r.Header.Get("X-Api-Key") + " " + string(body)
			streamed(w, stream)
		})
		var a completions.Answer
		ended, err := provider(t, kind, url).Stream(t.Context(), "m", hello, func(p completions.Piece) error { a.Take(p); return nil })
		require.NoError(t, err, kind)
		require.Equal(t, "Hello", a.Text(), kind)
		require.Equal(t, bothCalls, a.Calls(), kind)
		require.Equal(t, completions.Usage{TokensIn: 19, TokensOut: 10}, ended.Usage, kind)
		require.Equal(t, completions.ToolUse, ended.Reason, kind)
		require.True(t, ended.Counted)
		require.Contains(t, asked, "sk-test")
		require.Contains(t, asked, `"model":"m"`)
		require.Contains(t, asked, `"stream":true`)
		require.Contains(t, asked, "Be kind")
	}
}

// A question that was answered leaves its connection to the next: else each would begin with the handshakes of another.
func TestQuestionsShareAConnection(t *testing.T) {
	for kind, stream := range recorded {
		callers := map[string]bool{}
		url := serving(t, func(w http.ResponseWriter, r *http.Request) {
			callers[r.RemoteAddr] = true
			streamed(w, stream)
			w.(http.Flusher).Flush()
			time.Sleep(time.Millisecond) // the end comes behind the last event, in a packet of its own
		})
		p := provider(t, kind, url)
		for range 3 {
			_, err := p.Stream(t.Context(), "m", hello, func(completions.Piece) error { return nil })
			require.NoError(t, err)
		}
		require.Len(t, callers, 1, kind)
	}
}

// Whether a tool is called, and before which texts the answer ends, is said in each
// provider's words; nothing is said of it unless the caller did.
func TestToolChoiceAndStopsAreAsked(t *testing.T) {
	for _, c := range []struct{ kind, choice, want string }{
		{"openai", "", ""}, {"openai", completions.NoTool, `"tool_choice":"none"`}, {"openai", completions.AnyTool, `"tool_choice":"required"`},
		{"openai", completions.OneTool, `"tool_choice":{"type":"function","function":{"name":"find"}}`},
		{"anthropic", "", ""}, {"anthropic", completions.NoTool, `"tool_choice":{"type":"none"}`},
		{"anthropic", completions.AnyTool, `"tool_choice":{"type":"any"}`},
		{"anthropic", completions.OneTool, `"tool_choice":{"type":"tool","name":"find"}`},
	} {
		var asked string
		url := serving(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			asked = string(body)
			streamed(w, recorded[c.kind])
		})
		r, stops := hello, map[string]string{"openai": `"stop":["END"]`, "anthropic": `"stop_sequences":["END"]`}[c.kind]
		if c.choice != "" {
			r.ToolChoice, r.OnlyTool, r.Stop = c.choice, "find", []string{"END"}
		}
		_, err := provider(t, c.kind, url).Stream(t.Context(), "m", r, func(completions.Piece) error { return nil })
		require.NoError(t, err)
		if c.want == "" {
			require.NotContains(t, asked, "tool_choice")
			require.NotContains(t, asked, `"stop`)
			continue
		}
		require.Contains(t, asked, c.want)
		require.Contains(t, asked, stops)
	}
}

// That one tool is called at a time is said where there are tools, in each provider's words.
func TestOneToolAtATimeIsAsked(t *testing.T) {
	for _, c := range []struct{ kind, choice, want string }{
		{"openai", "", `"parallel_tool_calls":false`}, {"openai", completions.AnyTool, `"parallel_tool_calls":false`},
		{"anthropic", "", `"tool_choice":{"type":"auto","disable_parallel_tool_use":true}`},
		{"anthropic", completions.NoTool, `"tool_choice":{"type":"none"}`},
		{"anthropic", completions.AnyTool, `"tool_choice":{"type":"any","disable_parallel_tool_use":true}`},
		{"anthropic", completions.OneTool, `"tool_choice":{"type":"tool","name":"find","disable_parallel_tool_use":true}`},
	} {
		var asked string
		url := serving(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			asked = string(body)
			streamed(w, recorded[c.kind])
		})
		ask := func(r completions.Request) {
			_, err := provider(t, c.kind, url).Stream(t.Context(), "m", r, func(completions.Piece) error { return nil })
			require.NoError(t, err)
		}
		r := hello
		r.Tools, r.ToolChoice, r.OnlyTool = []completions.Tool{{Name: "find"}}, c.choice, "find"
		ask(r)
		require.NotContains(t, asked, "parallel")
		r.OneAtATime = true
		ask(r)
		require.Contains(t, asked, c.want)
		r.Tools, r.ToolChoice = nil, ""
		ask(r)
		require.NotContains(t, asked, "parallel", "without tools there is nothing to say")
	}
}

// Cut at any byte a stream is an error, and what was given until then is the beginning of
// what the whole gives.
func TestStreamsThatAreCutOff(t *testing.T) {
	for kind, stream := range recorded {
		cut := 0
		p := provider(t, kind, serving(t, func(w http.ResponseWriter, _ *http.Request) { streamed(w, stream[:cut]) }))
		whole := strings.LastIndex(strings.TrimRight(stream, "\n"), "\n\n") + 2 // where the last event begins
		last := strings.TrimRight(stream, "\n")
		for cut = 0; cut < len(last)+2; cut++ {
			var a completions.Answer
			_, err := p.Stream(t.Context(), "m", hello, func(p completions.Piece) error { a.Take(p); return nil })
			require.Error(t, err, "%s cut at %d of %d", kind, cut, whole)
			require.True(t, strings.HasPrefix("Hello", a.Text()))
			require.Equal(t, append([]completions.ToolCall{}, bothCalls[:len(a.Calls())]...), append([]completions.ToolCall{},
				a.Calls()...))
		}
	}
}

func TestWhatIsNoAnswer(t *testing.T) {
	for name, c := range map[string]struct{ kind, stream string }{
		"bad JSON":             {"openai", "data: {\n\n"},
		"an error inside":      {"openai", `data: {"error":{"message":"said by Ann","code":"server_error"}}` + "\n\n"},
		"half a call":          {"openai", strings.Replace(openAIStream, `1}"}`, `1"}`, 1)},
		"arguments of no call": {"openai", strings.Replace(openAIStream, `"id":"call_1",`, ``, 1)},
		"bad JSON of theirs":   {"anthropic", "data: {\n\n"},
		"overloaded": {"anthropic",
			`data: {"type":"error","error":{"type":"overloaded_error","message":"said by Ann"}}` + "\n\n"},
		"half a call of it": {"anthropic", strings.Replace(anthropicStream, `"1}"`, `"1"`, 1)},
	} {
		_, err := provider(t, c.kind, serving(t, func(w http.ResponseWriter, _ *http.Request) {
			streamed(w,
				c.stream)
		})).Stream(t.Context(),
			"m", hello, func(completions.Piece) error { return nil })
		require.Error(t, err, name)
		require.NotContains(t, err.Error(), "Ann", name)
	}
}

// What a model says is read as far as an answer may go. A provider that says the same for ever ends as soon as that is passed.
func TestAnAnswerThatDoesNotEnd(t *testing.T) {
	call := func(id string) string {
		return `{"tool_calls":[{"index":0,"id":"` + id + `","function":{"name":"find","arguments":"{}"}}]}`
	}
	for name, delta := range map[string]func(n int) string{
		"text":      func(int) string { return `{"content":"` + strings.Repeat("a", 64<<10) + `"}` },
		"arguments": func(int) string { return strings.Replace(call("1"), "{}", strings.Repeat("[", 64<<10), 1) },
		"calls":     func(n int) string { return call(strconv.Itoa(n)) },
	} {
		said := 0
		_, err := provider(t, "openai", serving(t, func(w http.ResponseWriter, _ *http.Request) {
			for n := range 1100 {
				streamed(w, `data: {"choices":[{"delta":`+delta(n)+"}]}\n\n")
			}
			streamed(w, "data: [DONE]\n\n")
		})).Stream(t.Context(), "m", hello, func(p completions.Piece) error { said += len(p.Text) + len(p.Call.Arguments); return nil })
		require.ErrorContains(t, err, "more than is read", name)
		require.LessOrEqual(t, said, 4<<20, name)
	}
}

func TestSilenceIsAnError(t *testing.T) {
	for kind, stream := range recorded {
		held := make(chan struct{})
		url := serving(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			streamed(w, stream[:len(stream)/2])
			w.(http.Flusher).Flush()
			<-held
		})
		_, err := provider(t, kind, url).Stream(t.Context(), "m", hello, func(completions.Piece) error { return nil })
		close(held)
		require.ErrorContains(t, err, "nothing came for too long")
	}
}

func TestAServerThatDoesNotStream(t *testing.T) {
	p := provider(t, "openai", serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w,
			`{"model":"x","choices":[{"index":0,"finish_reason":"length","message":{"role":"assistant","content":"Hello",
			"tool_calls":[{"id":"1","type":"function","function":{"name":"find","arguments":"{}"}}]}}],
			"usage":{"prompt_tokens":3,"completion_tokens":2}}`)
	}))
	var a completions.Answer
	ended, err := p.Stream(t.Context(), "m", hello, func(p completions.Piece) error { a.Take(p); return nil })
	require.NoError(t, err)
	require.Equal(t, "Hello", a.Text())
	require.Len(t, a.Calls(), 1)
	require.Equal(t, completions.MaxTokens, ended.Reason)
}

// What a provider says that cannot have been counted is taken as if it had said nothing: it is estimated, and no sum goes down by it.
func TestCountsThatCannotBe(t *testing.T) {
	for _, usage := range []string{`{"prompt_tokens":-1000000,"completion_tokens":2000000}`, `{"prompt_tokens":3,"completion_tokens":-2}`,
		`{"prompt_tokens":5000000000000000000,"completion_tokens":1}`} {
		p := provider(t, "openai", serving(t, func(w http.ResponseWriter, _ *http.Request) {
			streamed(w, `data: {"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}],"usage":`+usage+"}\n\ndata: [DONE]\n\n")
		}))
		models := llm.OneModel(llm.Model{ID: "m", By: p, Named: "m", Pricing: completions.Pricing{Version: "v", In: 1, Out: 1}})
		finish, err := models.Complete(t.Context(), hello, func(completions.Piece) error { return nil })
		require.NoError(t, err, usage)
		require.Equal(t, completions.Usage{Estimated: true}, finish.Usage, usage)
	}
}

// scripted is a provider that fails as often as it is told to.
type scripted struct {
	fails int32
	err   error
	begun bool // it fails behind its beginning
	asked atomic.Int32
}

func (s *scripted) Stream(_ context.Context, model string, _ completions.Request, emit func(completions.Piece) error) (llm.Ended, error) {
	if s.asked.Add(1) <= s.fails {
		if s.begun {
			_ = emit(completions.Piece{Kind: completions.Begun})
		}
		return llm.Ended{}, s.err
	}
	if err := emit(completions.Piece{Kind: completions.Begun}); err != nil {
		return llm.Ended{}, err
	}
	return llm.Ended{Model: model, Reason: completions.EndTurn, Counted: true}, nil
}

func TestRepetitionsAndTheNextModel(t *testing.T) {
	status := func(code int, wait time.Duration) error {
		return &openai.Error{Status: code, RetryAfter: wait, Message: "said by Ann"}
	}
	for name, c := range map[string]struct {
		first  *scripted
		asked  int32
		model  string // that answered; empty: none
		code   fault.Code
		waited time.Duration // at least
	}{
		"well":                        {&scripted{}, 1, "a", "", 0},
		"once unavailable":            {&scripted{fails: 1, err: status(503, 0)}, 2, "a", "", 0},
		"asks for a pause":            {&scripted{fails: 2, err: status(429, 3*time.Second)}, 3, "a", "", 6 * time.Second},
		"asks for too long a pause":   {&scripted{fails: 9, err: status(429, time.Minute)}, 1, "b", "", 0},
		"stays unavailable":           {&scripted{fails: 9, err: status(500, 0)}, 3, "b", "", 0},
		"does not answer":             {&scripted{fails: 9, err: errors.New("connection refused")}, 3, "b", "", 0},
		"does not take the key":       {&scripted{fails: 9, err: status(401, 0)}, 1, "b", "", 0},
		"refuses the request":         {&scripted{fails: 9, err: status(400, 0)}, 1, "", fault.Validation, 0},
		"breaks off behind its begin": {&scripted{fails: 9, err: status(500, 0), begun: true}, 1, "", fault.Unavailable, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first, second := c.first, &scripted{}
				models := llm.NewModels([]llm.Model{{ID: "a", Provider: "p", By: first, Named: "a"}, {ID: "b", Provider: "p",
					By: second, Named: "b"}},
					map[string][]string{"balanced": {"a", "b"}})
				begin := time.Now()
				finish, err := models.Complete(t.Context(), hello, func(completions.Piece) error { return nil })
				require.Equal(t, c.code, fault.CodeOf(err))
				require.Equal(t, c.asked, first.asked.Load())
				require.GreaterOrEqual(t, time.Since(begin), c.waited)
				if c.model != "" {
					require.Equal(t, completions.Chosen{ModelID: c.model, Provider: "p", Source: "default"}, finish.Chosen)
				}
				if err != nil {
					require.NotContains(t, err.Error(), "Ann")
				}
			})
		})
	}
}

func TestAModelThatFailsRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failing := &scripted{fails: 5, err: &openai.Error{Status: 500}}
		models := llm.OneModel(llm.Model{ID: "a", By: failing})
		take := func(completions.Piece) error { return nil }
		for range 3 {
			_, err := models.Complete(t.Context(), hello, take)
			require.True(t, fault.Is(err, fault.Unavailable))
		}
		require.EqualValues(t, 5, failing.asked.Load(), "then it was not asked any more")
		time.Sleep(31 * time.Second) // of a clock that jumps
		_, err := models.Complete(t.Context(), hello, take)
		require.NoError(t, err)
	})
}

func TestACallerWhoLeavesEndsTheAnswer(t *testing.T) {
	gone := errors.New("gone")
	good := &scripted{}
	models := llm.OneModel(llm.Model{ID: "a", By: good})
	for range 6 { // says nothing of the model
		_, err := models.Complete(t.Context(), hello, func(completions.Piece) error { return gone })
		require.ErrorIs(t, err, gone)
	}
	require.EqualValues(t, 6, good.asked.Load())
	require.True(t, fault.Is((&llm.Models{}).Check(hello), fault.Unavailable), "a server without models")
}

func TestLocalRules(t *testing.T) {
	said := func(tools []completions.Tool, most int64, text ...string) completions.Request {
		r := completions.Request{Tools: tools, MaxTokens: most}
		for i, t := range text {
			r.Messages = append(r.Messages, completions.Message{Role: []string{completions.User, completions.FromTool}[i], Text: t})
		}
		return r
	}
	choosing := func(choice, only, text string, stop ...string) completions.Request {
		r := said([]completions.Tool{{Name: "find"}, {Name: "look"}}, 0, text)
		r.ToolChoice, r.OnlyTool, r.Stop = choice, only, stop
		return r
	}
	for name, c := range map[string]struct {
		request completions.Request
		text    string
		call    string
		reason  string
	}{
		"may not call":   {choosing(completions.NoTool, "", "find it"), "You said: find it", "", "end_turn"},
		"has to call":    {choosing(completions.AnyTool, "", "Hi"), "", "{}", "tool_use"},
		"calls this one": {choosing(completions.OneTool, "find", `look {"id": 7}`), "", `{"id": 7}`, "tool_use"},
		"stops before":   {choosing("", "", "a b c b", "c", "b"), "You said: a", "", "end_turn"},
		"stops at once":  {choosing("", "", "a b c b", "You"), "", "", "end_turn"},
		"answers":        {said(nil, 0, "Hi  there"), "You said: Hi there", "", "end_turn"},
		"has a goal":     {hello, "My goal: Be kind You said: Hello", "", "end_turn"},
		"is bounded":     {said(nil, 3, "a b c"), "You said: a ", "", "max_tokens"},
		"calls":          {said(hello.Tools, 0, `please find {"id": 7} now`), "", `{"id": 7}`, "tool_use"},
		"not a word":     {said(hello.Tools, 0, `the finder`), "You said: the finder", "", "end_turn"},
		"bad object":     {said(hello.Tools, 0, `find {"id`), "", `{}`, "tool_use"},
		"tool's word":    {said(hello.Tools, 0, "find", "Ann"), "The tool answered: Ann", "", "end_turn"},
	} {
		var a completions.Answer
		ended, err := llm.Local{}.Stream(t.Context(), "local", c.request, func(p completions.Piece) error { a.Take(p); return nil })
		require.NoError(t, err, name)
		require.Equal(t, c.text, a.Text(), name)
		require.Equal(t, c.reason, ended.Reason, name)
		if c.call != "" {
			require.Equal(t, c.call, a.Calls()[0].Arguments, name)
			require.Equal(t, "find", a.Calls()[0].Name, name)
		} else {
			require.Empty(t, a.Calls(), name)
			require.EqualValues(t, len(strings.Fields(c.text)), ended.Usage.TokensOut, name)
		}
	}
}

// What the local provider finds in a message for the parameters of a tool that has to be called.
func TestLocalValues(t *testing.T) {
	const trip = `{"type":"object","properties":{"city":{"type":"string"},"nights":{"type":"integer"},"start":{"type":"string",
		"format":"date"},"kind":{"type":"string","enum":["beach","city trip"]}}}`
	for name, c := range map[string]struct{ schema, said, want string }{
		"nothing":   {trip, "Hello to all of you", `{}`},
		"an object": {trip, `take {"city":"Oslo"}`, `{"city":"Oslo"}`},
		"all of it": {trip, "A Beach in New York for 3 nights from 1.12.2026",
			`{"city":"New York","kind":"beach","nights":3,"start":"1.12.2026"}`},
		"two options":         {trip, "beach or city trip", `{}`},
		"by its name":         {trip, "nights: 4, city is Bad Ems.", `{"city":"Bad Ems","nights":4}`},
		"which was asked for": {trip, "Rome!", `{"city":"Rome"}`},
		"not so many words":   {trip, "well I do not know", `{}`},
		"tomorrow":            {trip, "tomorrow", `{"start":"2026-11-25"}`},
		"two numbers":         {trip, "it is 5 or 6", `{}`},
		"yes":                 {`{"properties":{"ok":{"type":"boolean"}}}`, "Yes, please", `{"ok":true}`},
		"no":                  {`{"properties":{"ok":{"type":"boolean"}}}`, "no", `{"ok":false}`},
		"by form": {`{"properties":{"mail":{"type":"string","format":"email"},"tel":{"type":"string","format":"phone"},"n":{"type":"number"},
			"id":{"type":"string","pattern":"^[A-Z]{2}[0-9]{3}$"}}}`, "ann@example.com, +49 30 123456, AB123, 2.5",
			`{"id":"AB123","mail":"ann@example.com","n":2.5,"tel":"+49 30 123456"}`},
		"a list":     {`{"properties":{"all":{"type":"array","items":{"enum":["a","b","c"]}}}}`, "c and A", `{"all":["a","c"]}`},
		"no pattern": {`{"properties":{"x":{"pattern":"("}}}`, "x", `{}`},
		"no schema":  {`[]`, "x", `{}`},
	} {
		r := completions.Request{ToolChoice: completions.OneTool, OnlyTool: "keep", Tools: []completions.Tool{{Name: "keep",
			Parameters: json.RawMessage(c.schema)}}, Messages: []completions.Message{{Role: completions.System,
			Text: "Today is 2026-11-24.\nThe user was asked for: city"}, {Role: completions.User, Text: c.said}}}
		var a completions.Answer
		_, err := llm.Local{}.Stream(t.Context(), "local", r, func(p completions.Piece) error { a.Take(p); return nil })
		require.NoError(t, err, name)
		require.JSONEq(t, c.want, a.Calls()[0].Arguments, name)
	}
}
