package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"

	"github.com/parley-platform/parley/adapters/channels/livekit"
	"github.com/parley-platform/parley/adapters/channels/sms"
	"github.com/parley-platform/parley/adapters/llm"
	"github.com/parley-platform/parley/adapters/openai"
	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/channels"
)

// ProviderFlags says who sends text messages and who makes summaries and transcripts.
// Accounts and their secrets are read from the environment only, under the names that
// the providers gave them, so that no list of processes shows them.
type ProviderFlags struct {
	SMSProvider string `name:"sms-provider" help:"Who sends text messages: local records them and sends nothing; twilio needs TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN, or TWILIO_API_KEY with TWILIO_API_SECRET, in the environment." enum:"local,twilio" default:"local" placeholder:"NAME"`
	LLMProvider string `name:"llm-provider" help:"Who makes summaries, and without --models completions: local, by rules; openai, which needs OPENAI_API_KEY in the environment; or none." enum:"local,openai,none" default:"local" placeholder:"NAME"`
	LLMModel    string `name:"llm-model" help:"Model of --llm-provider openai." default:"gpt-4o-mini" placeholder:"MODEL"`
	Models      string `help:"File of the models that completions may ask: providers, models, tiers and prices. Without it there is that of --llm-provider." placeholder:"FILE"`
	STTProvider string `name:"stt-provider" help:"Who makes transcripts: local, by rules, or openai, which needs OPENAI_API_KEY in the environment." enum:"local,openai" default:"local" placeholder:"NAME"`
	Rooms       int    `name:"rooms" help:"Rooms in which people talk that are open at a time; 0: none. The server's own account at LiveKit, for projects without a connection, is LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET in the environment." default:"100" placeholder:"N"`
	SpeechFlags
	STTModel string `name:"stt-model" help:"Model that makes transcripts." default:"whisper-1" placeholder:"MODEL"`
}

func (f ProviderFlags) providers() (slices.Providers, error) {
	models, hash, err := f.models()
	return slices.Providers{
		Models: models, ModelsHash: hash,
		SMS: f.SMSProvider, LLM: f.LLMProvider, LLMModel: f.LLMModel, STT: f.STTProvider, STTModel: f.STTModel,
		Speech: f.speech(),
		OpenAI: openai.Config{APIKey: os.Getenv("OPENAI_API_KEY"), BaseURL: os.Getenv("OPENAI_BASE_URL"),
			Organization: os.Getenv("OPENAI_ORG_ID"), Project: os.Getenv("OPENAI_PROJECT_ID")},
		SMSAccount: channels.Credentials{sms.AccountSID: secretOf("TWILIO_ACCOUNT_SID"), sms.AuthToken: secretOf("TWILIO_AUTH_TOKEN"),
			sms.APIKey: secretOf("TWILIO_API_KEY"), sms.APISecret: secretOf("TWILIO_API_SECRET")},
		SMSBaseURL: os.Getenv("TWILIO_BASE_URL"),
		Channels:   channelAddresses(),
		RoomsOff:   f.Rooms < 1, MostRooms: f.Rooms, RoomsAccount: roomsAccount(),
	}, err
}

// channelAddresses are where the providers of kinds of channels are, if that is not their own address.
func channelAddresses() map[string]string {
	graph := os.Getenv("GRAPH_BASE_URL")
	return map[string]string{"slack": os.Getenv("SLACK_BASE_URL"), "telegram": os.Getenv("TELEGRAM_BASE_URL"),
		"twilio_sms": os.Getenv("TWILIO_BASE_URL"), "msteams": os.Getenv("MSTEAMS_BASE_URL"), "zendesk": os.Getenv("ZENDESK_BASE_URL"),
		"email": os.Getenv("EMAIL_RELAY_URL"), "whatsapp": cmp.Or(os.Getenv("WHATSAPP_BASE_URL"), graph),
		"messenger": cmp.Or(os.Getenv("MESSENGER_BASE_URL"), graph), "instagram": cmp.Or(os.Getenv("INSTAGRAM_BASE_URL"), graph),
		"line": strings.TrimRight(os.Getenv("LINE_BASE_URL")+" "+os.Getenv("LINE_DATA_BASE_URL"), " ")}
}

// roomsAccount is the server's own at LiveKit, as far as it is there.
func roomsAccount() channels.Credentials {
	out := channels.Credentials{}
	for name, variable := range map[string]string{livekit.URL: "LIVEKIT_URL", livekit.APIKey: "LIVEKIT_API_KEY",
		livekit.APISecret: "LIVEKIT_API_SECRET"} {
		if v := secretOf(variable); v != "" {
			out[name] = v
		}
	}
	return out
}

// models reads the file of models, if one is named, and says by what it is known.
func (f ProviderFlags) models() (*llm.Models, string, error) {
	if f.Models == "" {
		return nil, "", nil
	}
	content, err := os.ReadFile(f.Models)
	if err != nil {
		return nil, "", fmt.Errorf("--models: %w", err)
	}
	models, err := llm.ReadModels(content, os.Getenv)
	if err != nil {
		return nil, "", fmt.Errorf("--models: %s: %w", f.Models, err)
	}
	sum := sha256.Sum256(content)
	return models, "sha256:" + hex.EncodeToString(sum[:6]), nil
}

func secretOf(variable string) channels.Secret { return channels.Secret(os.Getenv(variable)) }
