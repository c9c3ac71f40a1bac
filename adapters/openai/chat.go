package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// Message is one statement to a model.
type Message struct {
	Role       string `json:"role"` // system, user, assistant or tool
	Name       string `json:"name,omitempty"`
	Content    any    `json:"content"`                // a text, or Parts
	ToolCallID string `json:"tool_call_id,omitempty"` // of tool
	ToolCalls  []Call `json:"tool_calls,omitempty"`   // of assistant
}

// Part is one of a statement that is more than a text.
type Part struct {
	Type     string    `json:"type"` // text or image_url
	Text     string    `json:"text,omitempty"`
	ImageURL *ImageURL `json:"image_url,omitempty"`
}

// ImageURL is a picture by its address, which may hold it.
type ImageURL struct {
	URL string `json:"url"`
}

// Call is a model's wish to have a function called, or a part of one in a stream.
type Call struct {
	Index    int    `json:"index,omitempty"` // in a stream: which one
	ID       string `json:"id,omitempty"`
	Type     string `json:"type,omitempty"` // function
	Function struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// Tool is a function that a model may want called.
type Tool struct {
	Type     string   `json:"type"` // function
	Function Function `json:"function"`
}

// Function is described to a model.
type Function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // a JSON Schema
}

// NamedTool is the one function that a model has to call.
type NamedTool struct {
	Type     string `json:"type"` // function
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
}

// ChatRequest asks a model to go on after the messages.
type ChatRequest struct {
	Model               string         `json:"model"`
	Messages            []Message      `json:"messages"`
	Tools               []Tool         `json:"tools,omitempty"`
	ToolChoice          any            `json:"tool_choice,omitempty"`         // none, required, or a NamedTool; nil: the model chooses
	ParallelToolCalls   *bool          `json:"parallel_tool_calls,omitempty"` // nil: as many as the model likes; of tools only
	Temperature         *float64       `json:"temperature,omitempty"`
	MaxCompletionTokens int64          `json:"max_completion_tokens,omitempty"` // 0: the model's own
	Stop                []string       `json:"stop,omitempty"`
	Stream              bool           `json:"stream,omitempty"`
	StreamOptions       *StreamOptions `json:"stream_options,omitempty"`
}

// StreamOptions are of streams only.
type StreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// Chat is what the model said, as far as Parley reads it.
type Chat struct {
	Model   string   `json:"model"` // that answered, with its date
	Choices []Choice `json:"choices"`
	Usage   struct {
		PromptTokens     int64 `json:"prompt_tokens"`
		CompletionTokens int64 `json:"completion_tokens"`
	} `json:"usage"`
}

// Choice is one of several answers.
type Choice struct {
	Message struct {
		Content string `json:"content"` // empty when the model refused
	} `json:"message"`
}

// Complete asks for a chat completion.
func (c *Client) Complete(ctx context.Context, r ChatRequest) (Chat, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return Chat{}, fmt.Errorf("encoding a chat: %w", err)
	}
	var answer Chat
	if err := c.post(ctx, "chat/completions", "application/json", bytes.NewReader(body), &answer); err != nil {
		return Chat{}, err
	}
	return answer, nil
}
