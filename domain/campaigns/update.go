package campaigns

import (
	"reflect"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Update replaces the definition (update-sms-campaign).
type Update struct {
	Definition Definition
	At         time.Time
}

// Updated says what the campaign now is; it is Ready.
type Updated struct {
	TenantID   string      `json:"tenantId"`
	ProjectID  string      `json:"projectId"`
	CampaignID string      `json:"campaignId"`
	Definition Definition  `json:"definition"`
	Declared   *Definition `json:"declared,omitempty"`        // what a manifest says, when it was one that changed it
	EndedRunID string      `json:"endedInstanceId,omitempty"` // the paused run that ends with this; empty: none was under way
	At         time.Time   `json:"at"`
}

var _ = event.Register[Updated](Campaigns, "updated", 1)

// Decide refuses to change what is running now (docs/api-rules.md "Campaign"), and to
// make a voice campaign of one that sends messages or the other way round. What a Ready
// campaign is already changes nothing; of another one it makes a Ready one.
func (c Update) Decide(s State) ([]event.Payload, error) {
	if !s.Exists() {
		return nil, noCampaign()
	}
	return s.change(c.Definition, nil, c.At)
}

func (s State) change(to Definition, declared *Definition, at time.Time) ([]event.Payload, error) {
	d, problems := to.clean()
	if d.Kind != s.Definition.Kind {
		problems.Add("campaignType", "must be %s, as the campaign is: its kind never changes", s.Definition.Kind)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	if s.Status == Active {
		e := s.alreadyRunning()
		e.Message += ": pause it, or wait for its end, before it is changed"
		return nil, e
	}
	if s.Status == Ready && declared == nil && reflect.DeepEqual(d, s.Definition) {
		return nil, nil
	}
	e := Updated{TenantID: s.TenantID, ProjectID: s.ProjectID, CampaignID: s.ID, Definition: d, Declared: declared, At: at}
	if s.Status == Paused {
		e.EndedRunID = s.RunID
	}
	return []event.Payload{e}, nil
}

// Apply folds the event.
func (e Updated) Apply(s *State) {
	s.Definition, s.Status, s.UpdatedAt = e.Definition, Ready, e.At
	if e.Declared != nil {
		s.Declared = *e.Declared
	}
}
