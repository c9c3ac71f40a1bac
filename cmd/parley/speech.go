package main

import (
	"os"

	"github.com/parley-platform/parley/adapters/deepgram"
	"github.com/parley-platform/parley/cmd/parley/slices"
)

// SpeechFlags says who speaks on calls.
type SpeechFlags struct {
	SpeechProvider   string `name:"speech-provider" help:"Who speaks on calls: local, the program espeak-ng of this machine; openai, which needs OPENAI_API_KEY in the environment; or none." enum:"local,openai,none" default:"local" placeholder:"NAME"`
	SpeechModel      string `name:"speech-model" help:"Model of --speech-provider openai." default:"gpt-4o-mini-tts" placeholder:"MODEL"`
	SpeechRecogniser string `name:"speech-recogniser" help:"Who recognises speech on calls that do not say it: local counts words by their sound; deepgram needs DEEPGRAM_API_KEY in the environment." enum:"local,deepgram" default:"local" placeholder:"NAME"`
	SpeechVoice      string `name:"speech-voice" help:"Voice of --speech-provider openai." default:"alloy" placeholder:"NAME"`
}

func (f SpeechFlags) speech() slices.Speech {
	return slices.Speech{Provider: f.SpeechProvider, Model: f.SpeechModel, Voice: f.SpeechVoice, Recogniser: f.SpeechRecogniser,
		Deepgram: deepgram.Config{APIKey: os.Getenv("DEEPGRAM_API_KEY"), BaseURL: os.Getenv("DEEPGRAM_BASE_URL")}}
}
