package runs

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/event"
)

// Open takes the terms of a run from the start of its campaign.
type Open struct{ Started campaigns.Started }

// Decide opens a run once.
func (c Open) Decide(s State) ([]event.Payload, error) {
	if s.Exists() {
		return nil, nil
	}
	e := c.Started
	return []event.Payload{Opened{TenantID: e.TenantID, ProjectID: e.ProjectID, CampaignID: e.CampaignID, RunID: e.RunID,
		Name: e.Name, Kind: e.Kind, Priority: e.Priority,
		OurNumber: e.OurNumber, Hours: e.Hours, ContactLists: slices.Clone(e.ContactLists), FlowID: e.FlowID, MachineDetect: e.MachineDetect,
		Recurring: e.Recurring, MessageText: e.MessageText, At: event.Stamp(e.At)}}, nil
}

// Opened is a run with its terms, which no change of the campaign changes.
type Opened struct {
	TenantID      string          `json:"tenantId"`
	ProjectID     string          `json:"projectId"`
	CampaignID    string          `json:"campaignId"`
	RunID         string          `json:"campaignInstanceId"`
	Name          string          `json:"name"` // of the campaign
	Kind          campaigns.Kind  `json:"campaignType"`
	Priority      int             `json:"priority"`
	OurNumber     string          `json:"caller"`
	Hours         campaigns.Hours `json:"callingHours"`
	ContactLists  []string        `json:"contactLists"`
	FlowID        string          `json:"experienceFlow"`
	MachineDetect bool            `json:"enableMachineDetect,omitempty"`
	Recurring     bool            `json:"recurring,omitempty"`
	MessageText   string          `json:"messageText,omitempty"`
	At            time.Time       `json:"at"` // when the campaign was started
}

// Apply keeps the terms.
func (e Opened) Apply(s *State) {
	e.ContactLists, e.Hours.Days = slices.Clone(e.ContactLists), slices.Clone(e.Hours.Days)
	s.Terms, s.Complete = e, true
}

var _ = event.Register[Opened](Runs, "opened", 1)
