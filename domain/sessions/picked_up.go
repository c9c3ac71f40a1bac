package sessions

import "github.com/parley-platform/parley/domain/event"

// PickedUp says that the callee of the session's call has picked up, and begins a turn: the agent
// says what it begins with, to somebody who has said nothing yet.
type PickedUp struct{ InTurn }

var _ = event.Register[PickedUp](Sessions, "picked-up", 1)

// PickedUpLine is what a model sees in place of what somebody says first.
const PickedUpLine = "(picks up the phone)"

// Apply folds the event.
func (e PickedUp) Apply(s *State) {
	t := &s.Talk
	t.Turns, t.Greeted = e.Turn, true
	t.Traces++
	t.Running = &Running{Greets: true, At: e.At}
	t.line(Line{Text: PickedUpLine})
}
