// Package pacing decides which contact of which campaign is called or written to
// next: one stream per tenant, which owns the tenant's lines.
//
// It owns the lines (how many calls and messages of campaigns are under way at once),
// the order in which live runs get them, the calling hours, and the totals of a run. It
// never calls anybody, knows no telephone number, and never reads a clock. To it a run
// is a number of contacts, and a contact is its index: 17 of run R.
package pacing

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/event"
)

// Pacing holds one stream per tenant (see Stream). Its rules:
//
//   - a contact is taken inside the calling hours of its campaign, while a line is free
//   - of the runs that are open and not held, the highest priority goes first (5 before
//     1), of one priority the run that entered first; inside a run contacts go in order
//   - a taken contact has its line until its outcome, or until it is handed back because
//     nobody could place it inside the hours; each contact has one outcome
//   - whatever frees a line, lets a run in or opens one decides the next contacts in the
//     same commit, so nothing polls; for what only time brings (calling hours, a next
//     pass) there is one timer (OpeningAwaited)
//   - a pass is over when all its contacts have their outcome. A recurring run then waits
//     for its next pass, whose contacts are listed anew and follow in number on those
//     before; any other run is finished, and leaves the state
//
// Every command says nothing when the state has its effect already, so commands
// carry no request ids, which the stream would have to keep for ever. The exception is
// Enter: a run that has left is not known any more.
var Pacing = event.NewAggregate[State]("pacing", "pacing", event.Busy)

// Stream names the stream of a tenant's lines.
func Stream(tenantID string) string { return Pacing.Stream(tenantID) }

// Channel is how the contacts of a run are reached. Each has lines of its own.
type Channel string

// The channels, as campaignType names them.
const (
	Voice Channel = "voice"
	SMS   Channel = "sms"
)

// Lines is how many contacts of a tenant may be under way at once. It comes in with
// the commands: when it shrinks, those under way finish and none is taken meanwhile.
type Lines struct {
	Voice int // calls
	SMS   int // messages
}

// State is what the tenant's lines do.
type State struct {
	Runs    []Run     `json:"runs,omitempty"`   // the live ones, in the order in which they entered
	Awaited time.Time `json:"awaited,omitzero"` // when the timer decides again; zero: there is none
}

// Run is one live run.
type Run struct {
	RunID      string          `json:"instanceId"`
	CampaignID string          `json:"campaignId"`
	ProjectID  string          `json:"projectId"`
	Channel    Channel         `json:"channel"`
	Priority   int             `json:"priority"` // 5 goes first
	Hours      campaigns.Hours `json:"hours"`
	Recurring  bool            `json:"recurring,omitempty"`

	Pass      int       `json:"pass"`               // from 1
	PassBegan time.Time `json:"passBegan,omitzero"` // when its first contact was taken; zero: none was
	NextPass  time.Time `json:"nextPass,omitzero"`  // when the next one is due; zero: this one is not over, or there is none
	Listing   bool      `json:"listing,omitempty"`  // the next one is due, and its contacts are being listed

	Contacts int   `json:"contacts"`           // how many there are, those of passes before included
	Next     int   `json:"next"`               // index of the first that was never taken
	Returned []int `json:"returned,omitempty"` // taken and handed back, ascending; they go before Next
	InFlight []int `json:"inFlight,omitempty"` // taken and without outcome, ascending
	Tally    Tally `json:"tally"`

	Held    bool  `json:"held,omitempty"`    // takes nothing until it is released
	Stopped bool  `json:"stopped,omitempty"` // takes nothing any more
	Version int64 `json:"version,omitempty"` // of the campaign's stream that Held and Stopped follow
}

// Tally counts outcomes.
type Tally struct {
	CallsCompleted int `json:"callsCompleted"` // answered, and over
	MessagesSent   int `json:"messagesSent"`
	Failed         int `json:"failed"` // not answered, not sent, or not to be asked for at all
}

// Find is the live run of that id.
func (s State) Find(runID string) (Run, bool) {
	if i := s.index(runID); i >= 0 {
		return s.Runs[i], true
	}
	return Run{}, false
}

func (s State) index(runID string) int {
	return slices.IndexFunc(s.Runs, func(r Run) bool { return r.RunID == runID })
}

// run is the live run of that id, to be changed by Apply; nil if there is none.
func (s *State) run(runID string) *Run {
	if i := s.index(runID); i >= 0 {
		return &s.Runs[i]
	}
	return nil
}

// busy is how many contacts of the channel are under way.
func (s State) busy(c Channel) int {
	n := 0
	for _, r := range s.Runs {
		if r.Channel == c {
			n += len(r.InFlight)
		}
	}
	return n
}

// Rests reports whether nobody new is to be reached: the run is held, or stopped.
func (r Run) Rests() bool { return r.Held || r.Stopped }

// wants reports whether the run has contacts that it may yet take.
func (r Run) wants() bool { return !r.Stopped && (r.Next < r.Contacts || len(r.Returned) > 0) }

// between reports whether the run is between two passes.
func (r Run) between() bool { return r.Listing || !r.NextPass.IsZero() }

// passed reports whether all contacts of the pass have their outcome, and nobody has
// said yet what comes then.
func (r Run) passed() bool {
	return !r.wants() && len(r.InFlight) == 0 && (r.Stopped || !r.between())
}

// following are the next contacts of the run, at most n.
func (r Run) following(n int) []int {
	out := slices.Clone(r.Returned[:min(n, len(r.Returned))])
	for i := r.Next; i < r.Contacts && len(out) < n; i++ {
		out = append(out, i)
	}
	return out
}

// clone is a state of its own, for decisions that look ahead.
func (s State) clone() State {
	s.Runs = slices.Clone(s.Runs)
	for i := range s.Runs {
		s.Runs[i].Returned, s.Runs[i].InFlight = slices.Clone(s.Runs[i].Returned), slices.Clone(s.Runs[i].InFlight)
	}
	return s
}

// with and without keep a sorted set of indexes; they never change the slice they get.
func with(set []int, index int) []int {
	at, there := slices.BinarySearch(set, index)
	if there {
		return set
	}
	return slices.Insert(slices.Clone(set), at, index)
}

func without(set []int, index int) []int {
	at, there := slices.BinarySearch(set, index)
	if !there {
		return set
	}
	return slices.Delete(slices.Clone(set), at, at+1)
}

func has(set []int, index int) bool {
	_, there := slices.BinarySearch(set, index)
	return there
}
