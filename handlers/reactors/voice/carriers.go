package voice

import (
	"context"

	"github.com/parley-platform/parley/domain/calls"
)

// Carrier places calls. Implementations are safe for concurrent use.
type Carrier interface {
	// Provider is the name under which trunks and events know the carrier.
	Provider() string
	// Speed is how many times faster than life its callees are: 1 for a real one.
	// The call's own timers are divided by it too.
	Speed() int
	// Dial places the call and returns at once; the outcome comes as facts. ctx
	// bounds the dialling, not the leg. An error means that nobody was rung.
	Dial(ctx context.Context, r calls.LegRequest) (Leg, error)
	// Lookup tells of a leg that somebody may have dialled: this node before, or one
	// that is gone. Times of facts are on this machine's clock. LegUnheard is said only
	// of a leg that the carrier certainly was not asked for; what it cannot know it
	// leaves LegUntold. An error is as good as LegUntold.
	Lookup(ctx context.Context, q calls.LegQuery) (calls.LegReport, error)
	// Cut hangs up a leg whose dialer is gone; nothing when it is over or unknown.
	Cut(ctx context.Context, sid string) error
}

// Leg is one call at its carrier.
type Leg interface {
	// Facts come in the order in which they happened. The carrier never waits for
	// the reader, and closes the channel when the leg is over.
	Facts() <-chan calls.Fact
	// Say says a text to the callee, in a language, behind what was said to it before. It
	// returns when that has been said, or cannot be any more.
	Say(ctx context.Context, text, language string) error
	// HangUp ends the leg, ringing or answered. It may be called twice.
	HangUp(ctx context.Context) error
}

// Line is a carrier with legs of its own type.
type Line[L Leg] interface {
	Provider() string
	Speed() int
	Dial(ctx context.Context, r calls.LegRequest) (L, error)
	Lookup(ctx context.Context, q calls.LegQuery) (calls.LegReport, error)
	Cut(ctx context.Context, sid string) error
}

// CarrierOf makes a Carrier of a line, so that adapters need not know the
// interfaces that they satisfy.
func CarrierOf[L Leg](l Line[L]) Carrier { return lineCarrier[L]{l} }

type lineCarrier[L Leg] struct{ Line[L] }

// Dial hides the type of the leg, and the typed nil that comes with an error.
func (c lineCarrier[L]) Dial(ctx context.Context, r calls.LegRequest) (Leg, error) {
	leg, err := c.Line.Dial(ctx, r)
	if err != nil {
		return nil, err
	}
	return leg, nil
}
