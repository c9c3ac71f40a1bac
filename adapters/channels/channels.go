// Package channels has the adapter of every kind of channel that can be connected, one
// folder per kind.
//
// It owns which there are. What they promise is in channelstest, and how one is added in
// docs/how-to/add-a-channel.md.
package channels

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/parley-platform/parley/adapters/channels/audiocodes"
	"github.com/parley-platform/parley/adapters/channels/email"
	"github.com/parley-platform/parley/adapters/channels/genesys"
	httpasync "github.com/parley-platform/parley/adapters/channels/http_async"
	"github.com/parley-platform/parley/adapters/channels/jambonz"
	"github.com/parley-platform/parley/adapters/channels/line"
	"github.com/parley-platform/parley/adapters/channels/livekit"
	"github.com/parley-platform/parley/adapters/channels/messenger"
	"github.com/parley-platform/parley/adapters/channels/msteams"
	"github.com/parley-platform/parley/adapters/channels/slack"
	"github.com/parley-platform/parley/adapters/channels/sms"
	"github.com/parley-platform/parley/adapters/channels/telegram"
	twiliovoice "github.com/parley-platform/parley/adapters/channels/twilio_voice"
	voicepipeline "github.com/parley-platform/parley/adapters/channels/voice_pipeline"
	"github.com/parley-platform/parley/adapters/channels/vxml"
	"github.com/parley-platform/parley/adapters/channels/whatsapp"
	"github.com/parley-platform/parley/adapters/channels/zendesk"
	"github.com/parley-platform/parley/domain/channels"
)

// Adapter carries messages of one kind, by the accounts of connections.
type Adapter interface {
	Name() string
	Limits() channels.Limits
	Check(c channels.Connection) error
	Send(ctx context.Context, c channels.Connection, m channels.Outbound) channels.Outcome
	Lookup(ctx context.Context, c channels.Connection, q channels.Doubt) (channels.Outcome, error)
}

// Receiver reads what a provider sends us.
type Receiver interface {
	Routes(r channels.Request) []string
	Verify(c channels.Connection, r channels.Request) error
	Parse(c channels.Connection, r channels.Request) (channels.Received, error)
}

// adapters has a line for each kind; base is where its provider is, empty for its own
// address.
var adapters = map[string]func(base string) (Adapter, error){
	"audiocodes":     func(base string) (Adapter, error) { return audiocodes.New(base) },
	"email":          func(base string) (Adapter, error) { return email.New(base) },
	"genesys":        func(base string) (Adapter, error) { return genesys.New(base) },
	"http_async":     func(base string) (Adapter, error) { return httpasync.New(base) },
	"instagram":      func(base string) (Adapter, error) { return messenger.NewInstagram(base) },
	"jambonz":        func(base string) (Adapter, error) { return jambonz.New(base) },
	"line":           func(base string) (Adapter, error) { return line.New(base) },
	"livekit":        func(base string) (Adapter, error) { return livekit.New(base) },
	"messenger":      func(base string) (Adapter, error) { return messenger.New(base) },
	"msteams":        func(base string) (Adapter, error) { return msteams.New(base) },
	"slack":          func(base string) (Adapter, error) { return slack.New(base) },
	"sms":            func(base string) (Adapter, error) { return sms.NewTwilio(base) },
	"telegram":       func(base string) (Adapter, error) { return telegram.New(base) },
	"twilio_sms":     func(base string) (Adapter, error) { return sms.NewTwilio(base) },
	"twilio_voice":   func(base string) (Adapter, error) { return twiliovoice.New(base) },
	"voice_pipeline": func(base string) (Adapter, error) { return voicepipeline.New(base) },
	"vxml":           func(base string) (Adapter, error) { return vxml.New(base) },
	"whatsapp":       func(base string) (Adapter, error) { return whatsapp.New(base) },
	"zendesk":        func(base string) (Adapter, error) { return zendesk.New(base) },
}

// Kinds lists the kinds that can be connected.
func Kinds() []string { return slices.Sorted(maps.Keys(adapters)) }

// New makes the adapter of a kind, which asks its provider at base.
func New(kind, base string) (Adapter, error) {
	adapter, ok := adapters[kind]
	if !ok {
		return nil, fmt.Errorf("there is no adapter of channels of the kind %q", kind)
	}
	return adapter(base)
}
