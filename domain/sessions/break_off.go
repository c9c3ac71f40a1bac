package sessions

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// CodeSource is why a turn failed: the source of one of its agents, which another version of the
// server has taken, is refused by this one.
const CodeSource = "SOURCE_REFUSED"

// BreakOff ends a turn with which the server cannot go on, with all that it waits for: else it would
// wait for ever.
type BreakOff struct {
	Try    string // whose calls nobody goes on with; empty: what comes from outside
	Why    string // a code, such as CodeSource
	Detail string // in words, without what the user said
	At     time.Time
}

// Decide does nothing where somebody else goes on, or the turn has ended.
func (c BreakOff) Decide(s State) ([]event.Payload, error) {
	if !s.Talk.Running.Claimed(c.Try) {
		return nil, nil
	}
	how := TurnEnded{Action: Continue, Failed: c.Why}
	if s.Talk.People != nil {
		how.Action = ToPeople
	}
	return s.cut(c.At, how, Noticed{Kind: "limit", Agent: s.Talk.Agent, Step: s.Talk.Step, What: c.Why, Detail: c.Detail}), nil
}
