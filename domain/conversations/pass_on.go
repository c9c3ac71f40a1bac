package conversations

import (
	"cmp"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// PassOn is what the user says in the session that people have, for them to read here.
type PassOn struct {
	Text       string
	Language   string
	Experience Experience
	At         time.Time
}

// BySession is the source of messages that come from the session.
const BySession = "session"

// Decide takes it while the conversation lives, also before anybody has entered it: whoever comes
// finds what was said meanwhile.
func (c PassOn) Decide(s State) ([]event.Payload, error) {
	if s.Phase == Unknown || s.Phase == Ended {
		return nil, nil
	}
	return []event.Payload{MessageReceived{Number: s.Messages + 1, Author: User, HumanAgentID: cmp.Or(s.Main, s.Holder), Query: c.Text,
		Recorded: true, Source: BySession, Language: c.Language, Experience: c.Experience, At: stamp(c.At)}}, nil
}
