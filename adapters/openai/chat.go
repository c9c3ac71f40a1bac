package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// Message is one statement to a model.
type Message struct {
	Role    string `json:"role"` // system or user
	Content string `json:"content"`
}

// ChatRequest asks a model to go on after the messages.
type ChatRequest struct {
	Model               string    `json:"model"`
	Messages            []Message `json:"messages"`
	MaxCompletionTokens int64     `json:"max_completion_tokens,omitempty"` // 0: the model's own
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
