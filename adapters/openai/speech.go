package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// SpeechRequest asks a model to speak a text.
type SpeechRequest struct {
	Model  string `json:"model"`
	Voice  string `json:"voice"`
	Input  string `json:"input"`           // at most 4,096 characters
	Format string `json:"response_format"` // pcm: 16-bit little endian, one channel, SpeechRate
}

// SpeechRate is the rate of sound in the format pcm.
const SpeechRate = 24_000

// ErrTooMuchSound is the error of a text that takes longer to be spoken than who asked believes.
var ErrTooMuchSound = errors.New("OpenAI speaks for longer than it was allowed to")

// Speak asks for a text to be spoken, and gives at most so many bytes of sound; more are an error.
func (c *Client) Speak(ctx context.Context, r SpeechRequest, most int) ([]byte, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encoding a text to be spoken: %w", err)
	}
	res, err := c.send(ctx, "audio/speech", "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode/100 != 2 {
		content, _ := io.ReadAll(io.LimitReader(res.Body, mostAnswer))
		return nil, errorOf(res, content)
	}
	sound, err := io.ReadAll(io.LimitReader(res.Body, int64(most)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading what OpenAI speaks: %w", err)
	case len(sound) > most:
		return nil, ErrTooMuchSound
	}
	return sound, nil
}
