package slices

import (
	"cmp"
	"fmt"
	"slices"

	adapters "github.com/parley-platform/parley/adapters/channels"
	"github.com/parley-platform/parley/adapters/channels/sms"
	"github.com/parley-platform/parley/adapters/llm"
	"github.com/parley-platform/parley/adapters/openai"
	"github.com/parley-platform/parley/adapters/speech"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/connections"
	channelreactors "github.com/parley-platform/parley/handlers/reactors/channels"
	"github.com/parley-platform/parley/handlers/reactors/contactcenter"
)

// Providers says who does what Parley does not do itself. An empty name is local: rules
// on this node, whose results are marked so.
type Providers struct {
	SMS        string               // local or twilio
	SMSAccount channels.Credentials // at its provider
	SMSBaseURL string               // empty: the provider's own
	Channels   map[string]string    // where the providers of kinds of channels are; of others it is their own address
	LLM        string               // local, openai or none
	LLMModel   string               // empty: llm.DefaultModel
	STT        string               // local or openai
	STTModel   string               // empty: speech.DefaultModel
	OpenAI     openai.Config
	Models     *llm.Models // of completions; nil: LLMModel of LLM, in every tier
}

// providers are those that the settings name.
type providers struct {
	texts       channelreactors.Delivery
	channels    map[string]channelAdapter // of the kinds that are connected
	summaries   contactcenter.Summarizer
	transcripts contactcenter.Transcriber
	models      *llm.Models
	talking     talking
}

// Check refuses settings that cannot work, before anything is started.
func (p Providers) Check() error {
	_, err := p.open()
	return err
}

func (p Providers) open() (out providers, err error) {
	if out.texts, err = p.texts(); err != nil {
		return out, fmt.Errorf("--sms-provider: %w", err)
	}
	if out.channels, err = p.channels(); err != nil {
		return out, err
	}
	if out.summaries, err = p.summarizer(); err != nil {
		return out, fmt.Errorf("--llm-provider: %w", err)
	}
	if out.models, err = p.completing(); err != nil {
		return out, fmt.Errorf("--llm-provider: %w", err)
	}
	if out.transcripts, err = p.transcriber(); err != nil {
		return out, fmt.Errorf("--stt-provider: %w", err)
	}
	return out, nil
}

// texts is who sends text messages, by the server's own account.
func (p Providers) texts() (out channelreactors.Delivery, err error) {
	out.Connection = channels.Connection{ID: "server", Kind: "sms", Credentials: p.SMSAccount}
	switch p.SMS {
	case "", sms.ProviderLocal:
		out.Provider = sms.Local{}
		return out, nil
	case sms.ProviderTwilio:
		twilio, err := adapters.New(out.Connection.Kind, p.SMSBaseURL)
		if err != nil {
			return out, err
		}
		out.Provider = twilio
		return out, twilio.Check(out.Connection)
	}
	return out, fmt.Errorf("%q is not local or twilio", p.SMS)
}

// channelAdapter carries messages of one kind, out and in.
type channelAdapter interface {
	adapters.Adapter
	adapters.Receiver
}

// channels are the adapters of the kinds that can be connected and called.
func (p Providers) channels() (map[string]channelAdapter, error) {
	out := map[string]channelAdapter{}
	for _, kind := range connections.Slugs() {
		if !slices.Contains(adapters.Kinds(), kind) {
			continue
		}
		adapter, err := adapters.New(kind, p.Channels[kind])
		if err != nil {
			return nil, err
		}
		if both, is := adapter.(channelAdapter); is {
			out[kind] = both
		}
	}
	return out, nil
}

func (p Providers) summarizer() (contactcenter.Summarizer, error) {
	switch p.LLM {
	case "", llm.ProviderLocal:
		return llm.Local{}, nil
	case providerNone:
		return llm.None{}, nil
	case openai.Provider:
		return llm.NewOpenAI(p.OpenAI, p.LLMModel)
	}
	return nil, fmt.Errorf("%q is not local or openai, nor none", p.LLM)
}

// providerNone is the name of no provider.
const providerNone = "none"

// completing are the models that callers may ask.
func (p Providers) completing() (*llm.Models, error) {
	switch {
	case p.Models != nil:
		return p.Models, nil
	case p.LLM == providerNone:
		return &llm.Models{}, nil
	case p.LLM == openai.Provider:
		by, err := llm.NewOpenAIChat(p.OpenAI)
		name := cmp.Or(p.LLMModel, llm.DefaultModel)
		return llm.OneModel(llm.Model{ID: name, Provider: openai.Provider, By: by, Named: name}), err
	}
	return llm.OneModel(llm.LocalModel()), nil
}

func (p Providers) transcriber() (contactcenter.Transcriber, error) {
	switch p.STT {
	case "", speech.ProviderLocal:
		return speech.Local{}, nil
	case openai.Provider:
		return speech.NewOpenAI(p.OpenAI, p.STTModel)
	}
	return nil, fmt.Errorf("%q is not local or openai", p.STT)
}
