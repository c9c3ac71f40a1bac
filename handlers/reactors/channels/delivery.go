package channels

import (
	"context"

	"github.com/parley-platform/parley/domain/channels"
)

// provider carries messages of one channel to people. Implementations are safe for
// concurrent use, and pass adapters/channels/channelstest.
type provider interface {
	// Name is the provider that events and lists show.
	Name() string
	// Send asks once, by the connection's account; it never repeats a request by itself.
	// It says channels.Unknown of everything that is not certain: a message that it says
	// was not taken is sent again.
	Send(ctx context.Context, c channels.Connection, m channels.Outbound) channels.Outcome
	// Lookup tells what became of an attempt in doubt, made by this or another node. What
	// it cannot know it leaves channels.Unknown; an error is as good as that.
	Lookup(ctx context.Context, c channels.Connection, q channels.Doubt) (channels.Outcome, error)
}

// Delivery is one connection and who carries its messages: the effect of all that is sent.
type Delivery struct {
	Provider   provider
	Connection channels.Connection
}
