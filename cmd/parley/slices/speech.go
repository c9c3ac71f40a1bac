package slices

import (
	"context"
	"fmt"

	"github.com/parley-platform/parley/adapters/deepgram"
	"github.com/parley-platform/parley/adapters/openai"
	"github.com/parley-platform/parley/adapters/speech"
	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
)

// Speech says who speaks on calls.
type Speech struct {
	Provider string // local, openai or none; empty: local
	Model    string // of openai; empty: speech.DefaultSpeechModel
	Voice    string // the same; empty: speech.DefaultVoice

	Recogniser string          // local or deepgram, of calls that name none; empty: local
	Deepgram   deepgram.Config // without a key it is not asked
}

// recogniser is who can be asked to recognise speech on calls; nil: nobody can.
func (p Providers) recogniser() (*deepgram.Client, error) {
	if p.Speech.Recogniser != deepgram.Provider && p.Speech.Deepgram.APIKey == "" {
		return nil, nil
	}
	return deepgram.New(p.Speech.Deepgram)
}

// speaks refuses settings that cannot work. A program that this machine lacks is no setting.
func (p Providers) speaks() error {
	switch p.Speech.Provider {
	case "", speech.ProviderLocal, providerNone:
		return nil
	case openai.Provider:
		_, err := speech.NewOpenAISpeaker(p.OpenAI, p.Speech.Model, p.Speech.Voice)
		if err == nil {
			return nil
		}
		return fmt.Errorf("--speech-provider: %w (%s)", err, openAISettings)
	}
	return fmt.Errorf("--speech-provider: %q is not local or openai, nor none", p.Speech.Provider)
}

// recognises reports whether somebody else reads what is said: on calls, or in what callers leave behind.
func (p Providers) recognises() bool {
	return p.Speech.Deepgram.APIKey != "" || p.STT != "" && p.STT != speech.ProviderLocal
}

// speaker is who speaks on the calls of this node. One without a voice says so now: its calls are
// silent, and all else of it works.
func (n Needs) speaker() *speech.Spoken {
	if n.Store == nil {
		return nil
	}
	by, why := n.Providers.voice()
	if why != "" {
		by = speech.NoSpeaker{Why: why}
		n.Log.Warn("agents cannot be heard on calls that have sound: " + why)
	}
	return speech.NewSpoken(by, n.Blobs, n.Keys.Erasures, n.Log, nil)
}

func (p Providers) voice() (by speech.Speaker, why string) {
	switch p.Speech.Provider {
	case openai.Provider:
		by, err := speech.NewOpenAISpeaker(p.OpenAI, p.Speech.Model, p.Speech.Voice)
		if err != nil {
			return nil, err.Error()
		}
		return by, ""
	case providerNone:
		return nil, "--speech-provider is none"
	}
	by, err := speech.NewEspeak(context.Background())
	if err != nil {
		return nil, err.Error()
	}
	return by, ""
}

// line is the sound of a call that somebody else brings, in mu-law.
func (n Needs) line(p providers, tenant string) *voice.Line {
	return voice.NewLine(n.soundOf(p, n.Log.With("tenant", tenant), "", calls.Recognition{}))
}
