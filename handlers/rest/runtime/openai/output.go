package openai

import (
	"context"
	"encoding/json"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/runtime"
)

// OpenAICompletion is an answer as a whole.
type OpenAICompletion struct {
	ID       string          `json:"id"`
	Object   string          `json:"object" enum:"chat.completion"`
	Created  int64           `json:"created" doc:"Seconds since 1970."`
	Model    string          `json:"model" doc:"As the request named it."`
	Choices  []OpenAIChoice  `json:"choices"`
	Usage    OpenAIUsage     `json:"usage"`
	Metadata *OpenAIMetadata `json:"metadata,omitempty" doc:"Of a deployment's (extension)."`
}

// OpenAIChoice is the one answer.
type OpenAIChoice struct {
	Index        int                    `json:"index"`
	Message      OpenAIAssistantMessage `json:"message"`
	Logprobs     *string                `json:"logprobs" nullable:"true" doc:"Always null."`
	FinishReason string                 `json:"finish_reason" enum:"stop,length,tool_calls,content_filter"`
}

// OpenAIAssistantMessage is what was said, or which tools are to be called.
type OpenAIAssistantMessage struct {
	Role      string           `json:"role" enum:"assistant"`
	Content   *string          `json:"content" nullable:"true"`
	Refusal   *string          `json:"refusal" nullable:"true" doc:"Always null."`
	ToolCalls []OpenAIToolCall `json:"tool_calls,omitempty"`
}

// OpenAIToolCall is a call that the model wants.
type OpenAIToolCall struct {
	ID       string             `json:"id"`
	Type     string             `json:"type" enum:"function"`
	Function OpenAIFunctionCall `json:"function"`
}

// OpenAIFunctionCall is what is to be called.
type OpenAIFunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments" doc:"A JSON object, as text."`
}

// OpenAIUsage is in tokens of the model, or of all models that a turn asked; of scripted agents it asks none.
type OpenAIUsage struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
	TotalTokens      int64 `json:"total_tokens"`
}

var reasons = map[string]string{completions.EndTurn: "stop", completions.StopSequence: "stop", completions.MaxTokens: "length",
	completions.ToolUse: "tool_calls", completions.ContentFilter: "content_filter"}

// telling tells one answer: whole, or in chunks as runtime.StreamForm.
type telling struct {
	id      string
	model   string
	at      int64
	session *OpenAIMetadata
	usage   bool // of a stream: is asked for

	call   int  // the index of the call that is told; -1: none was yet
	argued bool // it has arguments
}

func usageOf(x *runtime.AnswerShown) OpenAIUsage {
	return OpenAIUsage{x.Usage.InputTokens, x.Usage.OutputTokens, x.Usage.TotalTokens}
}

func (t *telling) whole(x *runtime.AnswerShown) OpenAICompletion {
	said := OpenAIAssistantMessage{Role: completions.Assistant, ToolCalls: rest.Shown(x.ToolCalls, func(c runtime.ShownCall) OpenAIToolCall {
		return OpenAIToolCall{ID: c.ID, Type: "function", Function: OpenAIFunctionCall{c.Name, c.Arguments}}
	})}
	if x.Content != "" || len(x.ToolCalls) == 0 {
		said.Content = &x.Content
	}
	return OpenAICompletion{ID: t.id, Object: "chat.completion", Created: t.at, Model: t.model, Usage: usageOf(x), Metadata: t.session,
		Choices: []OpenAIChoice{{Message: said, FinishReason: reasons[x.FinishReason]}}}
}

// chunk is a part of an answer.
type chunk struct {
	ID       string          `json:"id"`
	Object   string          `json:"object"`
	Created  int64           `json:"created"`
	Model    string          `json:"model"`
	Choices  []chunkChoice   `json:"choices"`
	Usage    json.RawMessage `json:"usage,omitempty"` // null until the last, if it is asked for
	Metadata *OpenAIMetadata `json:"metadata,omitempty"`
}

type chunkChoice struct {
	Index        int     `json:"index"`
	Delta        delta   `json:"delta"`
	Logprobs     *string `json:"logprobs"`
	FinishReason *string `json:"finish_reason"`
}

type delta struct {
	Role      string      `json:"role,omitempty"`
	Content   *string     `json:"content,omitempty"`
	ToolCalls []callDelta `json:"tool_calls,omitempty"`
}

type callDelta struct {
	Index    int           `json:"index"`
	ID       string        `json:"id,omitempty"`
	Type     string        `json:"type,omitempty"`
	Function functionDelta `json:"function"`
}

type functionDelta struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

func (t *telling) chunk(to *runtime.EventWriter, choices ...chunkChoice) {
	c := chunk{ID: t.id, Object: "chat.completion.chunk", Created: t.at, Model: t.model, Choices: rest.OrNone(choices), Metadata: t.session}
	if t.usage {
		c.Usage = json.RawMessage("null")
	}
	to.Event("", c)
}

func (t *telling) delta(to *runtime.EventWriter, d delta) { t.chunk(to, chunkChoice{Delta: d}) }

func (t *telling) called(to *runtime.EventWriter, d callDelta) {
	d.Index = t.call
	t.delta(to, delta{ToolCalls: []callDelta{d}})
}

// Piece implements runtime.StreamForm.
func (t *telling) Piece(to *runtime.EventWriter, p completions.Piece) {
	switch p.Kind {
	case completions.Begun:
		empty := ""
		t.delta(to, delta{Role: completions.Assistant, Content: &empty})
	case completions.TextDelta:
		t.delta(to, delta{Content: &p.Text})
	case completions.ToolStarted:
		t.call, t.argued = t.call+1, false
		t.called(to, callDelta{ID: p.Call.ID, Type: "function", Function: functionDelta{Name: p.Call.Name}})
	case completions.ToolArguments:
		t.argued = true
		t.called(to, callDelta{Function: functionDelta{Arguments: p.Call.Arguments}})
	case completions.ToolEnded:
		if !t.argued { // the model gave none: they are an empty object
			t.called(to, callDelta{Function: functionDelta{Arguments: p.Call.Arguments}})
		}
	}
}

// End implements runtime.StreamForm.
func (t *telling) End(ctx context.Context, to *runtime.EventWriter, err error, x *runtime.AnswerShown) {
	if err != nil {
		to.Event("", rest.RefusalOf(ctx, err))
		return
	}
	reason := reasons[x.FinishReason]
	t.chunk(to, chunkChoice{FinishReason: &reason})
	if t.usage {
		used, _ := json.Marshal(usageOf(x)) // numbers always have a JSON form
		to.Event("", chunk{ID: t.id, Object: "chat.completion.chunk", Created: t.at, Model: t.model, Choices: []chunkChoice{}, Usage: used,
			Metadata: t.session})
	}
	to.Data("[DONE]")
}
