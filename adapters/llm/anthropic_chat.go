package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/parley-platform/parley/adapters/anthropic"
	"github.com/parley-platform/parley/domain/completions"
)

// AnthropicChat asks models by Anthropic's messages.
type AnthropicChat struct{ client *anthropic.Client }

// NewAnthropicChat checks the settings; it asks nobody.
func NewAnthropicChat(c anthropic.Config) (*AnthropicChat, error) {
	client, err := anthropic.NewClient(c)
	if err != nil {
		return nil, err
	}
	return &AnthropicChat{client}, nil
}

var anthropicReasons = map[string]string{"end_turn": completions.EndTurn, "max_tokens": completions.MaxTokens,
	"tool_use": completions.ToolUse, "stop_sequence": completions.StopSequence, "refusal": completions.ContentFilter,
	"model_context_window_exceeded": completions.MaxTokens}

// Stream implements Provider.
func (a *AnthropicChat) Stream(ctx context.Context, model string, r completions.Request,
	emit func(completions.Piece) error) (out Ended, err error) {
	p := &pieces{emit: emit}
	word := ""
	err = a.client.Stream(ctx, anthropicRequest(model, r), func(e anthropic.Event) error {
		switch e.Type {
		case "message_start":
			u := e.Message.Usage
			out.Model, out.Counted = e.Message.Model, true
			out.Usage = completions.Usage{TokensIn: u.InputTokens + u.CacheCreation + u.CacheRead, TokensOut: u.OutputTokens}
			return p.begin()
		case "message_delta":
			word = cmp.Or(e.Delta.StopReason, word)
			out.Usage.TokensOut = max(out.Usage.TokensOut, e.Usage.OutputTokens)
		}
		return p.anthropic(e)
	})
	if err == nil {
		err = p.end()
	}
	out.Reason = reason(anthropicReasons, word, p.calls)
	return out, err
}

// anthropic passes over what is not known: Anthropic says that new events may come.
func (p *pieces) anthropic(e anthropic.Event) error {
	switch {
	case e.Type == "content_block_start" && e.ContentBlock.Type == "tool_use":
		return p.start(e.Index, e.ContentBlock.ID, e.ContentBlock.Name)
	case e.Type == "content_block_start" && e.ContentBlock.Type == "text":
		return p.text(e.ContentBlock.Text)
	case e.Type == "content_block_delta" && e.Delta.Type == "text_delta":
		return p.text(e.Delta.Text)
	case e.Type == "content_block_delta" && e.Delta.Type == "input_json_delta":
		return p.arguments(e.Delta.PartialJSON)
	case e.Type == "content_block_stop":
		return p.end()
	}
	return nil
}

// mostTokens is asked for when the caller does not say: Anthropic wants a number.
const mostTokens = 4096

func anthropicRequest(model string, r completions.Request) anthropic.Request {
	out := anthropic.Request{Model: model, MaxTokens: cmp.Or(r.MaxTokens, mostTokens), StopSequences: r.Stop}
	if r.Temperature != nil {
		t := min(*r.Temperature, 1) // Anthropic's range ends there
		out.Temperature = &t
	}
	instructions, said := systemOf(r.Messages)
	out.System = strings.Join(instructions, "\n\n")
	for _, m := range said {
		role, blocks := "user", anthropicBlocks(m)
		if m.Role == completions.Assistant {
			role = "assistant"
		}
		if last := len(out.Messages) - 1; last >= 0 && out.Messages[last].Role == role {
			out.Messages[last].Content = append(out.Messages[last].Content, blocks...) // results of several tools are one message
		} else if len(blocks) > 0 {
			out.Messages = append(out.Messages, anthropic.Message{Role: role, Content: blocks})
		}
	}
	for _, t := range r.Tools {
		schema := t.Parameters
		if schema == nil {
			schema = json.RawMessage(`{"type":"object"}`)
		}
		out.Tools = append(out.Tools, anthropic.Tool{Name: t.Name, Description: t.Description, InputSchema: schema})
	}
	out.ToolChoice = anthropicChoice(r)
	return out
}

// anthropicChoice is nil where the model chooses, which is said only to have one tool called at a time.
func anthropicChoice(r completions.Request) *anthropic.ToolChoice {
	single := r.OneAtATime && len(r.Tools) > 0
	switch {
	case r.ToolChoice == completions.NoTool:
		return &anthropic.ToolChoice{Type: "none"}
	case r.ToolChoice == completions.AnyTool:
		return &anthropic.ToolChoice{Type: "any", OneAtATime: single}
	case r.ToolChoice == completions.OneTool:
		return &anthropic.ToolChoice{Type: "tool", Name: r.OnlyTool, OneAtATime: single}
	case single:
		return &anthropic.ToolChoice{Type: "auto", OneAtATime: true}
	}
	return nil
}

func anthropicBlocks(m completions.Message) (out []anthropic.Block) {
	if m.Role == completions.FromTool {
		return []anthropic.Block{{Type: "tool_result", ToolUseID: m.ToolCallID, Content: m.Text}}
	}
	if m.Text != "" { // Anthropic refuses an empty one
		out = append(out, anthropic.Block{Type: "text", Text: m.Text})
	}
	for _, p := range m.Pictures {
		out = append(out, anthropic.Block{Type: "image",
			Source: &anthropic.Source{Type: "base64", MediaType: p.ContentType, Data: p.Content}})
	}
	for _, c := range m.ToolCalls {
		out = append(out, anthropic.Block{Type: "tool_use", ID: c.ID, Name: c.Name, Input: json.RawMessage(c.Arguments)})
	}
	return out
}
