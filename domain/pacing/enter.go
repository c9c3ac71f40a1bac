package pacing

import (
	"time"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/event"
)

// Enter lets a run in whose first contacts are listed.
type Enter struct {
	Clock
	RunID      string
	CampaignID string
	ProjectID  string
	Channel    Channel
	Priority   int // 1 to 5; 5 goes first
	Hours      campaigns.Hours
	Recurring  bool
	Contacts   int
	Ruling     Ruling // of the campaign as it is now
	Version    int64  // of the campaign's stream, of which Ruling is
}

// Decide does nothing for a run that is there. One that was there and has finished is
// kept out by the command's request id.
func (c Enter) Decide(s State) ([]event.Payload, error) {
	if _, there := s.Find(c.RunID); there {
		return nil, nil
	}
	at := event.Stamp(c.Now)
	first := []event.Payload{RunEntered{RunID: c.RunID, CampaignID: c.CampaignID, ProjectID: c.ProjectID, Channel: c.Channel,
		Priority: c.Priority, Hours: c.Hours, Recurring: c.Recurring, Contacts: c.Contacts, At: at}}
	if c.Ruling != Go {
		first = append(first, ruled(c.RunID, c.Ruling, c.Version, at))
	}
	return c.follow(s, first...), nil
}

// RunEntered is a run that takes part from now on.
type RunEntered struct {
	RunID      string          `json:"instanceId"`
	CampaignID string          `json:"campaignId"`
	ProjectID  string          `json:"projectId"`
	Channel    Channel         `json:"channel"`
	Priority   int             `json:"priority"`
	Hours      campaigns.Hours `json:"hours"`
	Recurring  bool            `json:"recurring,omitempty"`
	Contacts   int             `json:"contacts"` // of the first pass
	At         time.Time       `json:"at"`
}

// Apply puts the run behind those that are there.
func (e RunEntered) Apply(s *State) {
	s.Runs = append(s.Runs[:len(s.Runs):len(s.Runs)], Run{RunID: e.RunID, CampaignID: e.CampaignID, ProjectID: e.ProjectID,
		Channel:  e.Channel,
		Priority: e.Priority, Hours: e.Hours, Recurring: e.Recurring, Pass: 1, Contacts: e.Contacts})
}

var _ = event.Register[RunEntered](Pacing, "run-entered", 1)
