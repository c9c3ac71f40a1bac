package sessions

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// IdleAfter is for how long nothing may be said in a session that takes messages, unless its
// project says otherwise. Nothing but a message prolongs it: neither a reset, nor feedback, nor a
// contact that is linked.
const IdleAfter = 24 * time.Hour

// Patience is how a session's project said that when it began. It stands on each event from which
// the time is counted, as the timer is made of that event alone.
type Patience struct {
	IdleMinutes int `json:"idleMinutes,omitempty"` // absent: IdleAfter
}

// Idle is the reason of the end that comes then.
const Idle = "idle"

// IdleAt is when a session in which something was said, or which was opened, ends by itself.
func (p Patience) IdleAt(said time.Time) time.Time {
	if p.IdleMinutes == 0 {
		return said.Add(IdleAfter)
	}
	return said.Add(time.Duration(p.IdleMinutes) * time.Minute)
}

// EndIdle ends a session in which nothing was said for too long. Its timer says when that may
// be so; the stream, in which messages have their order, says whether it is.
type EndIdle struct{ At time.Time }

// Decide does nothing for a session in which something was said since, for one that people have,
// and for one that has ended. Of a test session nobody has it, whatever its agent wants.
func (c EndIdle) Decide(s State) ([]event.Payload, error) {
	if s.Status != Active || s.Talk.People != nil && !s.Talk.Test || c.At.Before(s.Talk.IdleAt(s.LastActivity())) {
		return nil, nil
	}
	return End{Reason: Idle, At: event.Stamp(c.At)}.Decide(s)
}
