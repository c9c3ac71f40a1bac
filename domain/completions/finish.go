package completions

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Record says that a model answered.
type Record struct {
	Figures
	FinishReason string
	Blob         string // where the answer is kept; empty: it is not
	At           time.Time
}

// Finished says that a model answered to the end.
type Finished struct {
	Figures
	FinishReason string     `json:"finishReason"`
	Blob         string     `json:"blob,omitempty"`
	KeptTill     *time.Time `json:"keptTill,omitempty"`
	At           time.Time  `json:"at"`
}

var _ = event.Register[Finished](Completions, "finished", 1)

// Folder is below which name an answer is put into blob storage.
func Folder(tenantID, completionID string) string {
	return "completions/" + tenantID + "/" + completionID
}

// Decide records it once.
func (c Record) Decide(s State) ([]event.Payload, error) {
	if err := s.end(); err != nil {
		return nil, err
	}
	e := Finished{Figures: c.Figures, FinishReason: c.FinishReason, Blob: c.Blob, At: event.Stamp(c.At)}
	if c.Blob != "" {
		till := e.At.Add(AnswerKept)
		e.KeptTill = &till
	}
	return []event.Payload{e}, nil
}

// Apply folds the event.
func (e Finished) Apply(s *State) {
	s.Ended, s.TenantID, s.Blob = true, e.TenantID, e.Blob
	if e.KeptTill != nil {
		s.KeptTill = *e.KeptTill
	}
}
