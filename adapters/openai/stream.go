package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/parley-platform/parley/adapters/sse"
)

// Chunk is a part of a chat completion that is being made.
type Chunk struct {
	Model   string        `json:"model"`
	Choices []ChunkChoice `json:"choices"`
	Usage   *struct {
		PromptTokens     int64 `json:"prompt_tokens"`
		CompletionTokens int64 `json:"completion_tokens"`
	} `json:"usage"` // of the last one
	Error json.RawMessage `json:"error"`
}

// ChunkChoice is what is new of one of several answers.
type ChunkChoice struct {
	Index int `json:"index"`
	Delta struct {
		Content   string `json:"content"`
		Refusal   string `json:"refusal"` // of the model itself, in the place of content
		ToolCalls []Call `json:"tool_calls"`
	} `json:"delta"`
	FinishReason string `json:"finish_reason"` // of the last one
}

// ErrCutOff says that a stream ended before it said so.
var ErrCutOff = errors.New("OpenAI's stream was cut off")

// Stream asks for a chat completion and gives its parts as they come. It returns nil when
// the stream was whole, the error of each, or what went wrong. A server that does not stream
// gives one part, with all.
func (c *Client) Stream(ctx context.Context, r ChatRequest, each func(Chunk) error) error {
	r.Stream, r.StreamOptions = true, &StreamOptions{IncludeUsage: true}
	body, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encoding a chat: %w", err)
	}
	ctx, patience, stop := sse.Wait(ctx, c.firstByte, c.silence)
	defer stop()
	err = c.stream(ctx, patience, body, each)
	if err != nil && errors.Is(context.Cause(ctx), sse.ErrSilent) {
		return fmt.Errorf("asking OpenAI: %w", sse.ErrSilent)
	}
	return err
}

func (c *Client) stream(ctx context.Context, patience *sse.Patience, body []byte, each func(Chunk) error) error {
	res, err := c.send(ctx, "chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode/100 != 2 {
		content, _ := io.ReadAll(io.LimitReader(res.Body, mostAnswer))
		return errorOf(res, content)
	}
	if media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); media == "application/json" {
		return readWhole(patience.Of(res.Body), each)
	}
	done := false
	err = sse.Read(patience.Of(res.Body), func(_ string, data []byte) error {
		if done = done || string(data) == "[DONE]"; done {
			return io.EOF
		}
		return readChunk(data, each)
	})
	switch {
	case done:
		sse.Finish(res.Body)
		return nil
	case err == nil:
		return ErrCutOff
	}
	return err
}

func readChunk(data []byte, each func(Chunk) error) error {
	var chunk Chunk
	if err := json.Unmarshal(data, &chunk); err != nil {
		return fmt.Errorf("OpenAI's stream cannot be read: %w", unquoted(err))
	}
	if len(chunk.Error) > 0 && string(chunk.Error) != "null" {
		return errorOf(&http.Response{StatusCode: http.StatusBadGateway}, data)
	}
	return each(chunk)
}

// readWhole takes an answer that is no stream.
func readWhole(body io.Reader, each func(Chunk) error) error {
	content, err := io.ReadAll(io.LimitReader(body, mostAnswer+1))
	switch {
	case err != nil:
		return fmt.Errorf("reading OpenAI's answer: %w", err)
	case len(content) > mostAnswer:
		return fmt.Errorf("OpenAI's answer has more than %d bytes", mostAnswer)
	}
	var whole struct {
		Chunk
		Choices []struct {
			ChunkChoice
			Message json.RawMessage `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(content, &whole); err != nil {
		return fmt.Errorf("OpenAI's answer cannot be read: %w", unquoted(err))
	}
	for _, choice := range whole.Choices {
		if err := json.Unmarshal(choice.Message, &choice.Delta); err != nil {
			return fmt.Errorf("OpenAI's answer cannot be read: %w", unquoted(err))
		}
		for i := range choice.Delta.ToolCalls {
			choice.Delta.ToolCalls[i].Index = i
		}
		whole.Chunk.Choices = append(whole.Chunk.Choices, choice.ChunkChoice)
	}
	return each(whole.Chunk)
}
