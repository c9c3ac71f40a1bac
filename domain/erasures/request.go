package erasures

import (
	"fmt"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/privacy"
)

// MaxIdentities is how many a request may name.
const MaxIdentities = 20

// Request asks for a person to be erased.
type Request struct {
	ErasureID  string // er-<uuid>
	TenantID   string
	Identities []privacy.Identity // in any spelling
	At         time.Time
}

// Requested says whom the job erases, in the spelling that stands for all.
type Requested struct {
	ErasureID  string             `json:"erasureId"`
	TenantID   string             `json:"tenantId"`
	Identities []privacy.Identity `json:"identities"`
	At         time.Time          `json:"at"`
}

var _ = event.Register[Requested](Jobs, "requested", 1)

// Decide takes the request once. Spellings of one identity are one.
func (c Request) Decide(s State) ([]event.Payload, error) {
	identities, err := Normal(c.Identities)
	if err != nil {
		return nil, err
	}
	if s.Status != "" {
		return nil, fault.New(fault.Conflict, "the erasure %s exists already", c.ErasureID)
	}
	return []event.Payload{Requested{ErasureID: c.ErasureID, TenantID: c.TenantID, Identities: identities, At: event.Stamp(c.At)}}, nil
}

// Normal is what the identities of a request spell, each once; the error names the one that
// spells nothing.
func Normal(raw []privacy.Identity) (identities []privacy.Identity, err error) {
	var f fault.Fields
	if n := len(raw); n == 0 || n > MaxIdentities {
		f.Add("identities", "must be 1 to %d", MaxIdentities)
		return nil, f.Err()
	}
	for n, i := range raw {
		if !slices.Contains(privacy.Kinds(), i.Kind) {
			f.Add(fmt.Sprintf("identities[%d].kind", n), "must be one of %v", privacy.Kinds())
			continue
		}
		known, problem := privacy.Normal(i.Kind, i.Value)
		switch {
		case problem != "":
			f.Add(fmt.Sprintf("identities[%d].value", n), "%s", problem)
		case !slices.Contains(identities, known):
			identities = append(identities, known)
		}
	}
	return identities, f.Err()
}

// Apply folds the event.
func (e Requested) Apply(s *State) {
	s.ID, s.TenantID, s.Identities, s.Status = e.ErasureID, e.TenantID, e.Identities, Queued
	s.Attempt.Ask()
}
