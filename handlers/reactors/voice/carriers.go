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

// Adopter is a carrier whose legs can be gone on with by a node that did not place them.
type Adopter interface {
	Carrier
	// Adopt goes on with an answered leg whose node is gone, by its dialog. There is none where the
	// other side knows nothing of it any more (LegOver), or it cannot be told: then it is hung up, as
	// far as that can be done.
	Adopt(ctx context.Context, r calls.LegRequest, q calls.LegQuery) (Leg, calls.LegStatus, error)
}

// Room keeps a place at a carrier for a call, until its leg is dialled, or left, which may be said of one
// that was dialled, too: QUEUE_FULL, and when it is worth asking again, if there is none.
type Room func(ctx context.Context, r calls.LegRequest) (leave func(), err error)

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
func CarrierOf[L Leg](l Line[L]) Carrier {
	if a, can := l.(adopting[L]); can {
		return adopter[L]{lineCarrier[L]{l}, a}
	}
	return lineCarrier[L]{l}
}

// adopting is a line whose legs can be gone on with.
type adopting[L Leg] interface {
	Adopt(ctx context.Context, r calls.LegRequest, q calls.LegQuery) (L, calls.LegStatus, error)
}

type adopter[L Leg] struct {
	lineCarrier[L]
	of adopting[L]
}

// Adopt hides the type of the leg, and that of none.
func (a adopter[L]) Adopt(ctx context.Context, r calls.LegRequest, q calls.LegQuery) (Leg, calls.LegStatus, error) {
	leg, status, err := a.of.Adopt(ctx, r, q)
	if err != nil || status != calls.LegTalking {
		return nil, status, err
	}
	return leg, status, nil
}

type lineCarrier[L Leg] struct{ Line[L] }

// Dial hides the type of the leg, and the typed nil that comes with an error.
func (c lineCarrier[L]) Dial(ctx context.Context, r calls.LegRequest) (Leg, error) {
	leg, err := c.Line.Dial(ctx, r)
	if err != nil {
		return nil, err
	}
	return leg, nil
}
