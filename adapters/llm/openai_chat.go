package llm

import (
	"context"
	"encoding/base64"

	"github.com/parley-platform/parley/adapters/openai"
	"github.com/parley-platform/parley/domain/completions"
)

// OpenAIChat asks models by chat completions, of OpenAI or of a server that speaks its
// protocol.
type OpenAIChat struct{ client *openai.Client }

// NewOpenAIChat checks the settings; it asks nobody.
func NewOpenAIChat(c openai.Config) (*OpenAIChat, error) {
	client, err := openai.NewClient(c)
	if err != nil {
		return nil, err
	}
	return &OpenAIChat{client}, nil
}

var openAIReasons = map[string]string{"stop": completions.EndTurn, "length": completions.MaxTokens, "tool_calls": completions.ToolUse,
	"function_call": completions.ToolUse, "content_filter": completions.ContentFilter}

// Stream implements Provider.
func (o *OpenAIChat) Stream(ctx context.Context, model string, r completions.Request,
	emit func(completions.Piece) error) (out Ended, err error) {
	p := &pieces{emit: emit}
	word := ""
	err = o.client.Stream(ctx, openAIRequest(model, r), func(c openai.Chunk) error {
		if c.Model != "" {
			out.Model = c.Model
		}
		if c.Usage != nil && c.Usage.PromptTokens+c.Usage.CompletionTokens > 0 {
			out.Usage, out.Counted = completions.Usage{TokensIn: c.Usage.PromptTokens, TokensOut: c.Usage.CompletionTokens}, true
		}
		if err := p.begin(); err != nil {
			return err
		}
		for _, choice := range c.Choices {
			if choice.Index != 0 { // nobody asked for others
				continue
			}
			if choice.FinishReason != "" {
				word = choice.FinishReason
			}
			if err := p.openAI(choice); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = p.end()
	}
	out.Reason = reason(openAIReasons, word, p.calls)
	return out, err
}

func (p *pieces) openAI(choice openai.ChunkChoice) error {
	if err := p.text(choice.Delta.Content + choice.Delta.Refusal); err != nil {
		return err
	}
	for _, call := range choice.Delta.ToolCalls {
		another := p.open == nil || call.Index != p.at || call.ID != "" && call.ID != p.open.ID
		if another {
			if err := p.start(call.Index, call.ID, call.Function.Name); err != nil {
				return err
			}
		}
		if err := p.arguments(call.Function.Arguments); err != nil {
			return err
		}
	}
	if choice.FinishReason != "" {
		return p.end()
	}
	return nil
}

func openAIRequest(model string, r completions.Request) openai.ChatRequest {
	out := openai.ChatRequest{Model: model, Temperature: r.Temperature, MaxCompletionTokens: r.MaxTokens, Stop: r.Stop}
	switch r.ToolChoice {
	case completions.NoTool:
		out.ToolChoice = "none"
	case completions.AnyTool:
		out.ToolChoice = "required"
	case completions.OneTool:
		named := openai.NamedTool{Type: "function"}
		named.Function.Name = r.OnlyTool
		out.ToolChoice = named
	}
	if r.OneAtATime && len(r.Tools) > 0 {
		out.ParallelToolCalls = new(bool)
	}
	for _, m := range r.Messages {
		said := openai.Message{Role: m.Role, Name: m.Name, Content: m.Text, ToolCallID: m.ToolCallID}
		if len(m.Pictures) > 0 {
			said.Content = openAIParts(m)
		}
		for _, c := range m.ToolCalls {
			call := openai.Call{ID: c.ID, Type: "function"}
			call.Function.Name, call.Function.Arguments = c.Name, c.Arguments
			said.ToolCalls = append(said.ToolCalls, call)
		}
		out.Messages = append(out.Messages, said)
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, openai.Tool{Type: "function",
			Function: openai.Function{Name: t.Name, Description: t.Description, Parameters: t.Parameters}})
	}
	return out
}

// openAIParts are a text with its pictures.
func openAIParts(m completions.Message) (out []openai.Part) {
	if m.Text != "" {
		out = append(out, openai.Part{Type: "text", Text: m.Text})
	}
	for _, p := range m.Pictures {
		out = append(out, openai.Part{Type: "image_url", ImageURL: &openai.ImageURL{
			URL: "data:" + p.ContentType + ";base64," + base64.StdEncoding.EncodeToString(p.Content)}})
	}
	return out
}
