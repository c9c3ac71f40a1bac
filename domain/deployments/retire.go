package deployments

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Retire takes a deployment out of service: no new sessions, and after a while none.
type Retire struct {
	DeploymentID string
	Drain        time.Duration // for so long the sessions that there are go on
	At           time.Time
}

// WasRetired says so.
type WasRetired struct {
	DeploymentID string     `json:"deploymentId"`
	DrainAt      time.Time  `json:"drainAt"`
	NextDrainAt  *time.Time `json:"nextDrainAt"` // of all that are retired
	At           time.Time  `json:"at"`
}

var _ = event.Register[WasRetired](Deployments, "retired", 1)

// Decide does nothing for one that is retired.
func (c Retire) Decide(s State) ([]event.Payload, error) {
	d, err := s.find(c.DeploymentID)
	if err != nil || d.Status == Retired {
		return nil, err
	}
	at := event.Stamp(c.At)
	d.Status, d.DrainAt = Retired, at.Add(c.Drain)
	return []event.Payload{WasRetired{DeploymentID: d.ID, DrainAt: d.DrainAt, NextDrainAt: s.nextDrain(d), At: at}}, nil
}

// Apply folds the event.
func (e WasRetired) Apply(s *State) {
	d := s.Deployments[e.DeploymentID]
	d.Status, d.DrainAt, d.Drained = Retired, e.DrainAt, false
	s.put(d)
}

// Drain is sent when a while is over.
type Drain struct{ At time.Time }

// Drained says which deployments serve nothing more.
type Drained struct {
	DeploymentIDs []string   `json:"deploymentIds"`
	NextDrainAt   *time.Time `json:"nextDrainAt"` // of those that are left
	At            time.Time  `json:"at"`
}

var _ = event.Register[Drained](Deployments, "drained", 1)

// Decide does nothing before the time.
func (c Drain) Decide(s State) ([]event.Payload, error) {
	e := Drained{At: event.Stamp(c.At)}
	left := State{Deployments: map[string]Deployment{}}
	for id, d := range s.Deployments {
		if d.Status == Retired && !d.Drained && !c.At.Before(d.DrainAt) {
			e.DeploymentIDs = append(e.DeploymentIDs, id)
			continue
		}
		left.Deployments[id] = d
	}
	if len(e.DeploymentIDs) == 0 {
		return nil, nil
	}
	slices.Sort(e.DeploymentIDs)
	e.NextDrainAt = left.nextDrain(Deployment{})
	return []event.Payload{e}, nil
}

// Apply folds the event.
func (e Drained) Apply(s *State) {
	for _, id := range e.DeploymentIDs {
		d := s.Deployments[id]
		d.Drained = true
		s.put(d)
	}
}

// RollBack makes a retired deployment the active one of its environment again.
type RollBack struct {
	DeploymentID string
	At           time.Time
}

// RolledBack says so.
type RolledBack struct {
	DeploymentID string     `json:"deploymentId"`
	NextDrainAt  *time.Time `json:"nextDrainAt"`
	At           time.Time  `json:"at"`
}

var _ = event.Register[RolledBack](Deployments, "rolled-back", 1)

// Decide refuses one that is active: it would not be clear what is wanted.
func (c RollBack) Decide(s State) ([]event.Payload, error) {
	d, err := s.find(c.DeploymentID)
	if err != nil {
		return nil, err
	}
	if d.Status == Active {
		return nil, fault.New(fault.Conflict, "the deployment is active: only a retired one can be rolled back to")
	}
	d.Status = Active
	return []event.Payload{RolledBack{DeploymentID: d.ID, NextDrainAt: s.nextDrain(d), At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e RolledBack) Apply(s *State) {
	d := s.Deployments[e.DeploymentID]
	d.Status, d.DrainAt, d.Drained = Active, time.Time{}, false
	s.put(d)
}
