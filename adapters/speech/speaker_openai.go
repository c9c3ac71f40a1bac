package speech

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/parley-platform/parley/adapters/openai"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/wav"
)

// What is asked for when nobody names another.
const (
	DefaultSpeechModel = "gpt-4o-mini-tts"
	DefaultVoice       = "alloy"
)

const speakWithin = 30 * time.Second

// OpenAISpeaker has a model of OpenAI speak. It finds out the language by the text.
type OpenAISpeaker struct {
	client       *openai.Client
	model, voice string
}

// NewOpenAISpeaker checks the settings; it asks nobody. Empty names are the defaults.
func NewOpenAISpeaker(c openai.Config, model, voice string) (*OpenAISpeaker, error) {
	client, err := openai.NewClient(c)
	if err != nil {
		return nil, err
	}
	return &OpenAISpeaker{client, cmp.Or(model, DefaultSpeechModel), cmp.Or(voice, DefaultVoice)}, nil
}

// Voice names the model and its voice, whatever the language.
func (o *OpenAISpeaker) Voice(string) string { return openai.Provider + " " + o.model + " " + o.voice }

// Speak implements the port: one request of at most half a minute.
func (o *OpenAISpeaker) Speak(ctx context.Context, text, _ string) ([]int16, error) {
	text, ok, err := speakable(text)
	if err != nil || !ok {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, speakWithin)
	defer cancel()
	const most = mostSamples / sampleRate * openai.SpeechRate * sampleBytes
	raw, err := o.client.Speak(within, openai.SpeechRequest{Model: o.model, Voice: o.voice, Input: text, Format: "pcm"}, most)
	switch {
	case errors.Is(err, openai.ErrTooMuchSound):
		return nil, tooLong()
	case err != nil:
		return nil, after(ctx, "speaking", openai.Fault(err))
	case len(raw)%sampleBytes != 0:
		return nil, fault.New(fault.Unavailable, "OpenAI's sound ends in the middle of a sample")
	}
	return spoken(resample(wav.Samples(raw), openai.SpeechRate))
}
