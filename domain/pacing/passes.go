package pacing

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/event"
)

// passes ends the passes that are over, and says which are due.
func (d *decision) passes() {
	for _, r := range slices.Clone(d.state.Runs) {
		if r.passed() {
			d.end(r)
		}
	}
	for _, r := range slices.Clone(d.state.Runs) {
		if !r.Rests() && !r.NextPass.IsZero() && !d.now.Before(r.NextPass) {
			d.say(PassDue{RunID: r.RunID, CampaignID: r.CampaignID, Pass: r.Pass + 1, At: d.now})
		}
	}
}

// end is the end of a run, or of its pass when another follows.
func (d *decision) end(r Run) {
	if next := r.nextPass(d.now); !next.IsZero() {
		d.say(PassFinished{RunID: r.RunID, Pass: r.Pass, NextPass: next, At: d.now})
		return
	}
	d.say(RunFinished{RunID: r.RunID, CampaignID: r.CampaignID, ProjectID: r.ProjectID, Passes: r.Pass, Contacts: r.Contacts,
		Untried: r.Contacts - r.Next + len(r.Returned), Tally: r.Tally, Stopped: r.Stopped, At: d.now})
}

// nextPass is when the run's next pass is due; zero when there is none.
func (r Run) nextPass(now time.Time) time.Time {
	if !r.Recurring || r.Stopped || r.Pass >= campaigns.MaxPasses {
		return time.Time{}
	}
	began := r.PassBegan
	if began.IsZero() { // nobody was there to be taken
		began = now
	}
	next, ok := r.Hours.NextPass(began, now)
	if !ok {
		return time.Time{}
	}
	return event.Stamp(next)
}

// PassFinished is a pass of a recurring run that is over.
type PassFinished struct {
	RunID    string    `json:"instanceId"`
	Pass     int       `json:"pass"` // from 1
	NextPass time.Time `json:"nextPass"`
	At       time.Time `json:"at"`
}

// Apply waits for the next one.
func (e PassFinished) Apply(s *State) {
	if r := s.run(e.RunID); r != nil {
		r.NextPass = e.NextPass
	}
}

// PassDue is a pass whose contacts are to be listed.
type PassDue struct {
	RunID      string    `json:"instanceId"`
	CampaignID string    `json:"campaignId"`
	Pass       int       `json:"pass"` // from 2: the first is due when the campaign starts
	At         time.Time `json:"at"`
}

// Apply waits for the list.
func (e PassDue) Apply(s *State) {
	if r := s.run(e.RunID); r != nil {
		r.NextPass, r.Listing = time.Time{}, true
	}
}

// BeginPass lets the contacts in that were listed for a pass that is due.
type BeginPass struct {
	Clock
	RunID    string
	Pass     int
	Contacts int // of the run so far, those of passes before included
}

// Decide says nothing for a pass that is not waited for.
func (c BeginPass) Decide(s State) ([]event.Payload, error) {
	r, live := s.Find(c.RunID)
	if !live || !r.Listing || c.Pass != r.Pass+1 {
		return nil, nil
	}
	return c.follow(s, PassBegun{RunID: c.RunID, Pass: c.Pass, Contacts: c.Contacts, At: event.Stamp(c.Now)}), nil
}

// PassBegun is a further pass.
type PassBegun struct {
	RunID    string    `json:"instanceId"`
	Pass     int       `json:"pass"`
	Contacts int       `json:"contacts"` // of the run so far
	At       time.Time `json:"at"`
}

// Apply begins it.
func (e PassBegun) Apply(s *State) {
	if r := s.run(e.RunID); r != nil {
		r.Listing, r.Pass, r.PassBegan, r.Contacts = false, e.Pass, time.Time{}, max(r.Contacts, e.Contacts)
	}
}

// RunFinished is a run in which nothing more happens: all its contacts have their
// outcome, or it was stopped and those under way have theirs.
type RunFinished struct {
	RunID      string    `json:"instanceId"`
	CampaignID string    `json:"campaignId"`
	ProjectID  string    `json:"projectId"`
	Passes     int       `json:"passes"`
	Contacts   int       `json:"contacts"` // of all passes
	Untried    int       `json:"untried"`  // of them without outcome, in a run that was stopped
	Tally      Tally     `json:"tally"`
	Stopped    bool      `json:"stopped,omitempty"`
	At         time.Time `json:"at"`
}

// Apply forgets the run.
func (e RunFinished) Apply(s *State) {
	if i := s.index(e.RunID); i >= 0 {
		s.Runs = slices.Delete(slices.Clone(s.Runs), i, i+1)
	}
}

var (
	_ = event.Register[PassFinished](Pacing, "pass-finished", 1)
	_ = event.Register[PassDue](Pacing, "pass-due", 1)
	_ = event.Register[PassBegun](Pacing, "pass-begun", 1)
	_ = event.Register[RunFinished](Pacing, "run-finished", 1)
)
