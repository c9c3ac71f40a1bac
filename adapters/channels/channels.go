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

	"github.com/parley-platform/parley/adapters/channels/slack"
	"github.com/parley-platform/parley/adapters/channels/sms"
	"github.com/parley-platform/parley/adapters/channels/telegram"
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
	"slack":      func(base string) (Adapter, error) { return slack.New(base) },
	"sms":        func(base string) (Adapter, error) { return sms.NewTwilio(base) },
	"telegram":   func(base string) (Adapter, error) { return telegram.New(base) },
	"twilio_sms": func(base string) (Adapter, error) { return sms.NewTwilio(base) },
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
