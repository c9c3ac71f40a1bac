package slices

import (
	"cmp"
	"fmt"
	"slices"

	adapters "github.com/parley-platform/parley/adapters/channels"
	"github.com/parley-platform/parley/adapters/channels/email"
	"github.com/parley-platform/parley/adapters/channels/livekit"
	"github.com/parley-platform/parley/adapters/channels/sms"
	twiliovoice "github.com/parley-platform/parley/adapters/channels/twilio_voice"
	"github.com/parley-platform/parley/adapters/deepgram"
	roomsound "github.com/parley-platform/parley/adapters/livekit"
	"github.com/parley-platform/parley/adapters/llm"
	"github.com/parley-platform/parley/adapters/openai"
	"github.com/parley-platform/parley/adapters/speech"
	"github.com/parley-platform/parley/adapters/telephony/sip"
	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/modelproviders"
	channelreactors "github.com/parley-platform/parley/handlers/reactors/channels"
	"github.com/parley-platform/parley/handlers/reactors/contactcenter"
	voiceapi "github.com/parley-platform/parley/handlers/rest/voice"
	"github.com/parley-platform/parley/handlers/sockets"
)

// Providers says who does what Parley does not do itself. An empty name is local: rules
// on this node, whose results are marked so.
type Providers struct {
	SMS        string               // local or twilio
	SMSAccount channels.Credentials // at its provider
	SMSBaseURL string               // empty: the provider's own
	Names      email.Resolver       // of the Internet, by which mails are checked; nil: those that this machine has
	Channels   map[string]string    // where the providers of kinds of channels are; of others it is their own address
	Mail       string               // host and port that take the mail of connections without a host; empty: nobody does
	LLM        string               // local, openai or none
	LLMModel   string               // empty: llm.DefaultModel
	STT        string               // local or openai
	STTModel   string               // empty: speech.DefaultModel
	Speech     Speech               // of calls
	OpenAI     openai.Config
	Models     *llm.Models // of completions; nil: LLMModel of LLM, in every tier
	ModelsHash string      // of the file that they are from, by which nodes know whether they have the same

	RoomsOff     bool                 // nobody comes into a room
	MostRooms    int                  // that are open at a time; 0: 100
	RoomsAccount channels.Credentials // the server's own at LiveKit, for projects that have none; empty: there is none
}

// providers are those that the settings name.
type providers struct {
	texts       channelreactors.Delivery
	channels    map[string]adapters.Adapter // of the kinds that are connected
	rooms       *livekit.LiveKit
	inRooms     *roomsound.Rooms // by whom agents are in rooms
	calls       *twiliovoice.Voice
	summaries   contactcenter.Summarizer
	transcripts contactcenter.Transcriber
	models      *llm.Models
	talking     talking
	pipelines   *voiceapi.Pipelines // take the calls of pipelines that bring sound
	pacer       *voice.Pacer        // of all sound of this node
	deepgram    *deepgram.Client    // who recognises speech on calls; nil: nobody can
	speaker     *speech.Spoken      // who speaks on calls; nil: of a node that is only looked at
	sockets     *sockets.Sockets    // of all operations that have some
	sip         *sip.Agent          // nil: this node calls over no SIP trunk
}

// openAISettings is where the settings of OpenAI are read from, for who lacks one.
const openAISettings = "OPENAI_API_KEY, and OPENAI_BASE_URL where it is not OpenAI's own, in the environment"

// Check refuses settings that cannot work, before anything is started.
func (p Providers) Check() error {
	_, err := p.open()
	return err
}

func (p Providers) open() (out providers, err error) {
	if out.texts, err = p.texts(); err != nil {
		return out, fmt.Errorf("--sms-provider: %w (TWILIO_ACCOUNT_SID with TWILIO_AUTH_TOKEN, or with TWILIO_API_KEY and "+
			"TWILIO_API_SECRET, in the environment)", err)
	}
	if out.channels, err = p.channels(); err != nil {
		return out, err
	}
	if out.rooms, err = livekit.New(p.Channels[voiceapi.KindRooms]); err != nil {
		return out, err
	}
	if out.inRooms, err = roomsound.New(roomsound.Config{}); err != nil {
		return out, err
	}
	if out.calls, err = twiliovoice.New(""); err != nil {
		return out, err
	}
	if out.summaries, err = p.summarizer(); err != nil {
		return out, fmt.Errorf("--llm-provider: %w (%s)", err, openAISettings)
	}
	if out.models, err = p.completing(); err != nil {
		return out, fmt.Errorf("--llm-provider: %w (%s)", err, openAISettings)
	}
	if out.transcripts, err = p.transcriber(); err != nil {
		return out, fmt.Errorf("--stt-provider: %w (%s)", err, openAISettings)
	}
	if out.deepgram, err = p.recogniser(); err != nil {
		return out, fmt.Errorf("--speech-recogniser: %w (DEEPGRAM_API_KEY in the environment)", err)
	}
	return out, p.speaks()
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

// channels are the adapters of the kinds that can be connected.
func (p Providers) channels() (map[string]adapters.Adapter, error) {
	out := map[string]adapters.Adapter{}
	for _, kind := range connections.Slugs() {
		if !slices.Contains(adapters.Kinds(), kind) {
			continue
		}
		adapter, err := adapters.New(kind, p.Channels[kind])
		if err != nil {
			return nil, err
		}
		out[kind] = adapter
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
		return llm.OneModel(llm.Model{ID: name, Provider: openai.Provider, By: by, Named: name,
			Sees: modelproviders.Sees(nil, p.OpenAI.BaseURL != "")}), err
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
