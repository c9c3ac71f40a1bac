package openai

import (
	"cmp"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/handlers/rest/runtime"
)

type openAIIn struct {
	ProjectHeader
	Session string `header:"X-Session-Id" maxLength:"128" doc:"As metadata.sessionId."`
	Body    struct {
		Model               string                `json:"model" required:"true" minLength:"1" maxLength:"256" doc:"A deployment's endpointSlug, or a model of the project or of this server." example:"acme-bot-dev-1b8e70aa"`
		Messages            []OpenAIMessage       `json:"messages" required:"true" minItems:"1" maxItems:"1000" nullable:"false"`
		Tools               []OpenAITool          `json:"tools,omitempty" maxItems:"128" nullable:"false"`
		ToolChoice          jsontext.Anything     `json:"tool_choice,omitempty" doc:"none, auto, required, or {type: function, function: {name}}."`
		ParallelToolCalls   *bool                 `json:"parallel_tool_calls,omitempty" doc:"false: at most one tool is called."`
		Temperature         *float64              `json:"temperature,omitempty" minimum:"0" maximum:"2"`
		MaxTokens           int64                 `json:"max_tokens,omitempty" minimum:"0" maximum:"200000" doc:"Older name of max_completion_tokens."`
		MaxCompletionTokens int64                 `json:"max_completion_tokens,omitempty" minimum:"0" maximum:"200000" doc:"Of the answer; 0: the model's own bound."`
		Stop                jsontext.Anything     `json:"stop,omitempty" doc:"A text, or up to four, before which the answer ends."`
		N                   int64                 `json:"n,omitempty" minimum:"1" maximum:"1" doc:"There is one answer."`
		Stream              bool                  `json:"stream,omitempty"`
		StreamOptions       *OpenAIStreamOptions  `json:"stream_options,omitempty"`
		Metadata            *OpenAIMetadata       `json:"metadata,omitempty"`
		ResponseFormat      *OpenAIResponseFormat `json:"response_format,omitempty"`
		Modalities          []string              `json:"modalities,omitempty" maxItems:"4" nullable:"false" enum:"text" doc:"An answer is a text."`
		Logprobs            bool                  `json:"logprobs,omitempty" doc:"Is refused: providers do not all tell them."`
		Functions           jsontext.Anything     `json:"functions,omitempty" doc:"Is refused: see tools."`
	}
}

// OpenAIMessage is what was said, or what a tool answered.
type OpenAIMessage struct {
	Role       string              `json:"role" required:"true" enum:"system,developer,user,assistant,tool"`
	Content    runtime.ChatContent `json:"content,omitempty" doc:"A text, or an array of parts {type: text, text}."`
	Name       string              `json:"name,omitempty" maxLength:"64"`
	ToolCallID string              `json:"tool_call_id,omitempty" maxLength:"128"`
	ToolCalls  []runtime.ChatCall  `json:"tool_calls,omitempty" maxItems:"128" nullable:"false"`
}

// OpenAITool is a function that a model may want called.
type OpenAITool struct {
	Type     string           `json:"type" required:"true" enum:"function"`
	Function runtime.ChatTool `json:"function" required:"true"`
}

// OpenAIStreamOptions are of streams.
type OpenAIStreamOptions struct {
	IncludeUsage bool `json:"include_usage,omitempty" doc:"Adds a chunk before the last, without choices."`
}

// OpenAIMetadata is what goes with a request beside the talk.
type OpenAIMetadata struct {
	SessionID string `json:"sessionId,omitempty" maxLength:"128" doc:"Of a deployment: the session that goes on; a new one begins without it."`
}

// OpenAIResponseFormat is that of the answer's text.
type OpenAIResponseFormat struct {
	Type string `json:"type" required:"true" enum:"text"`
}

// session is the one that both places name.
func (in *openAIIn) session() (string, error) {
	named := ""
	if in.Body.Metadata != nil {
		named = in.Body.Metadata.SessionID
	}
	switch id := cmp.Or(named, in.Session); {
	case named != "" && in.Session != "" && named != in.Session:
		return "", fault.Field("metadata.sessionId", "is another than that of X-Session-Id")
	case id != "" && !access.ValidID(id):
		return "", fault.Field("metadata.sessionId", "must be an id")
	default:
		return id, nil
	}
}

// request is what a model is asked, and what is wrong with it beyond its schema.
func (in *openAIIn) request() (completions.Request, error) {
	b := in.Body
	r := completions.Request{ModelID: b.Model, Temperature: b.Temperature, MaxTokens: cmp.Or(b.MaxCompletionTokens, b.MaxTokens),
		OneAtATime: b.ParallelToolCalls != nil && !*b.ParallelToolCalls}
	var f fault.Fields
	in.talk(&r, &f)
	in.choose(&r, &f)
	var problem string
	if r.Stop, problem = stops(b.Stop); problem != "" {
		f.Add("stop", "%s", problem)
	}
	in.refused(&f)
	return r, f.InOrder().Err()
}

// refused adds what nobody is asked with, neither a model nor a deployment: who sends it would
// wait for what never comes.
func (in *openAIIn) refused(f *fault.Fields) {
	if in.Body.Logprobs {
		f.Add("logprobs", "are not told")
	}
	if given(in.Body.Functions) {
		f.Add("functions", "are not known: use tools")
	}
}

func (in *openAIIn) talk(r *completions.Request, f *fault.Fields) {
	var said []runtime.ChatMessage
	for _, m := range in.Body.Messages {
		if m.Role == "developer" { // the newer name
			m.Role = completions.System
		}
		said = append(said, runtime.ChatMessage(m))
	}
	var offered []runtime.ChatTool
	for _, t := range in.Body.Tools {
		offered = append(offered, t.Function)
	}
	r.Messages, r.Tools = runtime.Talk(said, offered, f)
}

// choose reads how far the model may choose whether it calls a tool.
func (in *openAIIn) choose(r *completions.Request, f *fault.Fields) {
	if !given(in.Body.ToolChoice) {
		return
	}
	var word string
	var named struct {
		Type     string                `json:"type"`
		Function struct{ Name string } `json:"function"`
	}
	switch raw := in.Body.ToolChoice; {
	case json.Unmarshal(raw, &word) == nil && word == "auto", word == "none" && len(r.Tools) == 0:
	case word == "none":
		r.ToolChoice = completions.NoTool
	case word == "required":
		r.ToolChoice = completions.AnyTool
	case word == "" && json.Unmarshal(raw, &named) == nil && named.Type == "function":
		r.ToolChoice, r.OnlyTool = completions.OneTool, named.Function.Name
	default:
		f.Add("tool_choice", "must be none, auto, required, or {type: function, function: {name}}")
	}
	switch {
	case r.ToolChoice == completions.OneTool && !slices.ContainsFunc(r.Tools, func(t completions.Tool) bool { return t.Name == r.OnlyTool }):
		f.Add("tool_choice", "names none of tools")
	case r.ToolChoice == completions.AnyTool && len(r.Tools) == 0:
		f.Add("tool_choice", "needs tools")
	}
}

const mostStops = 4

// stops are the texts before which an answer ends, and what is wrong with them.
func stops(raw jsontext.Anything) (all []string, problem string) {
	if !given(raw) {
		return nil, ""
	}
	var one string
	if json.Unmarshal(raw, &one) == nil {
		all = []string{one}
	} else if json.Unmarshal(raw, &all) != nil || len(all) > mostStops {
		return nil, "must be a text, or up to four"
	}
	for _, text := range all {
		if text == "" {
			return nil, "must hold no empty text"
		}
	}
	return all, ""
}

func given(raw jsontext.Anything) bool { return len(raw) > 0 && string(raw) != "null" }

// said is the last message of the user, which is what a session hears.
func (in *openAIIn) said() (string, error) {
	var f fault.Fields
	r := completions.Request{}
	in.talk(&r, &f)
	in.refused(&f)
	var last completions.Message
	for _, m := range r.Messages {
		if m.Role == completions.User {
			last = m
		}
	}
	text := last.Text
	switch {
	case len(f) > 0:
	case len(last.Pictures) > 0:
		f.Add("messages", "must hold no picture in the user's last one: a deployment's session takes files by add-attachment and chat-send")
	case sessions.Blank(text):
		f.Add("messages", "must hold one of the user")
	case utf8.RuneCountInString(text) > turns.LongestText:
		f.Add("messages", "must have at most %d characters in the user's last one", turns.LongestText)
	}
	return text, f.InOrder().Err()
}
