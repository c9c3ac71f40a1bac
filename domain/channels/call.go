package channels

import (
	"time"

	"github.com/parley-platform/parley/domain/calls"
)

// Call is what a provider tells of a call that it brought: how far it is. A room in which people
// talk is a call, too.
type Call struct {
	ExternalID string // of what is told: the same when it is told again
	ProviderID string // what the provider calls the call
	Person     string // who talks with us, as the provider names them; empty: it does not say
	OurNumber  string // what they called, or were called by; of a room its name
	Direction  calls.Direction
	Status     calls.Told // empty: a word that says nothing to us
	Raw        string     // the provider's own word
	Sequence   *int       // by which the provider orders what it tells; nil: it does not
	SIPCode    int        // of a call that failed; 0: the provider did not say
	Duration   *time.Duration
	At         time.Time // when it was so; zero: the provider did not say
}
