package sessions

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Inform tells the session's agent what the channel has learned, such as the
// findings of answering machine detection.
type Inform struct {
	UserSession map[string]json.RawMessage // members of context.session.UserSession
	At          time.Time
}

// Informed carries the members that changed.
type Informed struct {
	UserSession map[string]json.RawMessage `json:"userSession" personal:"customer"`
	At          time.Time                  `json:"at"`
}

var _ = event.Register[Informed](Sessions, "informed", 1)

// Decide keeps only members that differ; a session that is not active learns nothing.
func (c Inform) Decide(s State) ([]event.Payload, error) {
	if s.Status != Active {
		return nil, nil
	}
	changed := map[string]json.RawMessage{}
	for name, value := range c.UserSession {
		if !bytes.Equal(s.UserSession[name], value) {
			changed[name] = value
		}
	}
	if len(changed) == 0 {
		return nil, nil
	}
	return []event.Payload{Informed{UserSession: changed, At: c.At.UTC()}}, nil
}

// Apply folds the event.
func (e Informed) Apply(s *State) {
	if s.UserSession == nil {
		s.UserSession = map[string]json.RawMessage{}
	}
	for name, value := range e.UserSession {
		s.UserSession[name] = value
	}
}
