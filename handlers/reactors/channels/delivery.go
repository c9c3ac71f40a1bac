package channels

import (
	"context"
	"log/slog"
	"time"

	"github.com/parley-platform/parley/domain/channels"
)

// Provider carries messages of one channel to people. Implementations are safe for
// concurrent use, and pass adapters/channels/channelstest.
type Provider interface {
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

// The times of a provider: one attempt, and one question about an attempt in doubt, while
// other timers wait for their turn.
const (
	sendLimit = 10 * time.Second
	askLimit  = 2 * time.Second
)

// Delivery is one connection and who carries its messages: the effect of all that is sent.
type Delivery struct {
	Provider   Provider
	Connection channels.Connection
	Log        *slog.Logger
}

// send asks the provider once, in the time that is left.
func (d Delivery) send(ctx context.Context, m channels.Outbound, left time.Duration) channels.Outcome {
	if left <= 0 {
		return channels.Outcome{Status: channels.NotTaken, Code: "LATE", Reason: "the node was too slow to ask the provider"}
	}
	ctx, cancel := context.WithTimeout(ctx, min(left, sendLimit))
	defer cancel()
	return d.Provider.Send(ctx, d.Connection, m)
}

// lookup asks the provider that made an attempt what became of it; asked is that one's
// name. The operator may have chosen another since, which cannot know.
func (d Delivery) lookup(ctx context.Context, asked string, q channels.Doubt) channels.Outcome {
	if asked != d.Provider.Name() {
		return channels.Outcome{}
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	o, err := d.Provider.Lookup(ctx, d.Connection, q)
	if err != nil {
		d.Log.Warn("the provider cannot be asked what became of a message", "message", q.Reference, "provider", asked, "error", err)
		return channels.Outcome{}
	}
	return o
}
