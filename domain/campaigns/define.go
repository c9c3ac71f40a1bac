package campaigns

import (
	"reflect"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Define makes a campaign (the create operation), or says what one is (manifest kind
// Campaign).
type Define struct {
	TenantID   string
	ProjectID  string // resolved
	ID         string // cd-...
	Definition Definition
	Declared   bool // a manifest says it
	At         time.Time
}

// Defined says that there is a campaign; it is Ready.
type Defined struct {
	TenantID   string     `json:"tenantId"`
	ProjectID  string     `json:"projectId"`
	CampaignID string     `json:"campaignId"`
	Definition Definition `json:"definition"`
	Declared   bool       `json:"declared,omitempty"` // by a manifest
	At         time.Time  `json:"at"`
}

var _ = event.Register[Defined](Campaigns, "defined", 1)

// Decide changes of an existing campaign what differs from the manifest that was applied
// last: the same manifest again does nothing, whatever was changed by other means since
// and whatever runs.
func (c Define) Decide(s State) ([]event.Payload, error) {
	d, problems := c.Definition.clean()
	access.CheckPrefixedID(&problems, "metadata.id", c.ID, IDPrefix)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	switch {
	case !s.Exists():
		return []event.Payload{Defined{TenantID: c.TenantID, ProjectID: c.ProjectID, CampaignID: c.ID, Definition: d, Declared: c.Declared,
			At: c.At}}, nil
	case s.ProjectID != c.ProjectID:
		return nil, fault.New(fault.Conflict, "the campaign id %s is one of another project, %s", c.ID, s.ProjectID)
	case reflect.DeepEqual(d, s.Declared):
		return nil, nil
	}
	return s.change(d.changing(s.Definition, s.Declared), &d, c.At)
}

// changing is the present definition with the members of d that differ from last.
func (d Definition) changing(present, last Definition) Definition {
	next, was, now := reflect.ValueOf(d), reflect.ValueOf(last), reflect.ValueOf(&present).Elem()
	for i := range next.NumField() {
		if !reflect.DeepEqual(next.Field(i).Interface(), was.Field(i).Interface()) {
			now.Field(i).Set(next.Field(i))
		}
	}
	present.ContactLists = slices.Clone(present.ContactLists)
	return present
}

// Apply folds the event.
func (e Defined) Apply(s *State) {
	*s = State{TenantID: e.TenantID, ProjectID: e.ProjectID, ID: e.CampaignID, Definition: e.Definition, Status: Ready, CreatedAt: e.At,
		UpdatedAt: e.At}
	if e.Declared {
		s.Declared = e.Definition
	}
}
