package attempt

import (
	"strconv"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Decision is what a command of an aggregate decides.
type Decision[S any] func(S) ([]event.Payload, error)

// Claim gives an attempt to one try of one node, before the effect.
type Claim struct {
	ID         string // fresh for each try, so that it knows its own claim
	Node       string // that makes the attempt
	At         time.Time
	LeaseUntil time.Time // without an outcome the attempt is in doubt then
}

// Backoff is how the pauses between attempts grow.
type Backoff struct {
	First   time.Duration
	Factor  float64       // of each pause to the one before it
	Jitter  float64       // up to this part of a pause is added or taken away at random
	Ceiling time.Duration // of a pause, before the jitter
}

// Rules is how an aggregate is spoken to about its attempts: the same words for each, and
// behind them its own commands and events.
type Rules[S any] struct {
	// State is that of the effect whose turn it is.
	State func(S) State
	// Name tells the attempt from all others of its stream; nil: by its number. A stream
	// with one effect after the other says which one as well.
	Name func(S) string
	// Start claims the attempt; nil: the effect is repeated when nobody knows what came of
	// it, and needs no claim.
	Start func(Claim) Decision[S]
	// Fail records that the attempt which the state wanted came to nothing.
	Fail func(S, Failure) Decision[S]
	// Wake is what the timer says: a pause or a lease may be over.
	Wake func(at time.Time) Decision[S]

	Backoff Backoff
}

// NameOf is the name of the attempt that the state is about.
func (r Rules[S]) NameOf(s S) string {
	if r.Name != nil {
		return r.Name(s)
	}
	return strconv.Itoa(r.State(s).Number)
}
