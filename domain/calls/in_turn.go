package calls

import (
	"slices"

	"github.com/parley-platform/parley/domain/event"
)

// InTurn decides one thing after the other, each on what those before it left, for one
// commit. If one is refused, all are.
func InTurn(all ...func(State) ([]event.Payload, error)) func(State) ([]event.Payload, error) {
	return func(s State) ([]event.Payload, error) {
		s.Said, s.Detections = slices.Clip(s.Said), slices.Clip(s.Detections) // what is folded stays in here
		var said []event.Payload
		for _, decide := range all {
			events, err := decide(s)
			if err != nil {
				return nil, err
			}
			for _, e := range events {
				Calls.Fold(&s, e)
			}
			said = append(said, events...)
		}
		return said, nil
	}
}
