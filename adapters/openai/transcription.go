package openai

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
)

// TranscriptionRequest asks a model what is said in a recording.
type TranscriptionRequest struct {
	Model       string
	Language    string // ISO 639-1; empty: the model finds out
	FileName    string // its extension tells OpenAI the format
	ContentType string
	Audio       []byte
}

// Transcription is what the model heard. Models are charged by tokens or by seconds.
type Transcription struct {
	Text     *string `json:"text"` // nil: the answer holds none
	Language string  `json:"language"`
	Usage    struct {
		InputTokens  int64   `json:"input_tokens"`
		OutputTokens int64   `json:"output_tokens"`
		Seconds      float64 `json:"seconds"`
	} `json:"usage"`
}

// Transcribe asks for a transcription.
func (c *Client) Transcribe(ctx context.Context, r TranscriptionRequest) (Transcription, error) {
	body, contentType, err := r.form()
	if err != nil {
		return Transcription{}, fmt.Errorf("encoding a recording: %w", err)
	}
	var answer Transcription
	if err := c.post(ctx, "audio/transcriptions", contentType, bytes.NewReader(body), &answer); err != nil {
		return Transcription{}, err
	}
	return answer, nil
}

// form is the request as multipart/form-data.
func (r TranscriptionRequest) form() (body []byte, contentType string, err error) {
	var b bytes.Buffer
	b.Grow(len(r.Audio) + 1<<10)
	w := multipart.NewWriter(&b)
	file, err := w.CreatePart(map[string][]string{
		"Content-Disposition": {multipart.FileContentDisposition("file", r.FileName)},
		"Content-Type":        {r.ContentType},
	})
	if err != nil {
		return nil, "", err
	}
	if _, err := file.Write(r.Audio); err != nil {
		return nil, "", err
	}
	fields := []struct{ name, value string }{{"model", r.Model}, {"response_format", "json"}, {"language", r.Language}}
	for _, f := range fields {
		if f.value == "" {
			continue
		}
		if err := w.WriteField(f.name, f.value); err != nil {
			return nil, "", err
		}
	}
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	return b.Bytes(), w.FormDataContentType(), nil
}
