package campaigns

import "github.com/parley-platform/parley/domain/event"

// Registers holds one stream per project: which campaigns manifests have made, so that
// prune finds those that no manifest names any more. A campaign is registered first and
// defined then, and removed the other way round: what a crash leaves between is healed by
// doing both again.
var Registers = event.NewAggregate[Register]("campaignregisters", "campaignregister", event.Quiet)

// RegisterStream names the register of a project.
func RegisterStream(tenantID, projectID string) string {
	return Registers.Stream(tenantID + "." + projectID)
}

// Register is the state of one project's register.
type Register struct {
	Names map[string]string // by campaign id; as the manifest names it
}

// Enter puts a campaign into the register.
type Enter struct{ TenantID, ProjectID, ID, Name string }

// Entered says that a manifest makes the campaign.
type Entered struct {
	TenantID   string `json:"tenantId"`
	ProjectID  string `json:"projectId"`
	CampaignID string `json:"campaignId"`
	Name       string `json:"name"`
}

var _ = event.Register[Entered](Registers, "entered", 1)

// Decide does nothing for a campaign that is there by that name.
func (c Enter) Decide(s Register) ([]event.Payload, error) {
	if name, known := s.Names[c.ID]; known && name == c.Name {
		return nil, nil
	}
	return []event.Payload{Entered{TenantID: c.TenantID, ProjectID: c.ProjectID, CampaignID: c.ID, Name: c.Name}}, nil
}

// Apply folds the event.
func (e Entered) Apply(s *Register) {
	if s.Names == nil {
		s.Names = map[string]string{}
	}
	s.Names[e.CampaignID] = e.Name
}

// Strike takes a campaign out of the register, when it is removed.
type Strike struct{ TenantID, ProjectID, ID string }

// Struck says that no manifest makes the campaign any more.
type Struck struct {
	TenantID   string `json:"tenantId"`
	ProjectID  string `json:"projectId"`
	CampaignID string `json:"campaignId"`
}

var _ = event.Register[Struck](Registers, "struck", 1)

// Decide does nothing for a campaign that is not there.
func (c Strike) Decide(s Register) ([]event.Payload, error) {
	if _, known := s.Names[c.ID]; !known {
		return nil, nil
	}
	return []event.Payload{Struck{TenantID: c.TenantID, ProjectID: c.ProjectID, CampaignID: c.ID}}, nil
}

// Apply folds the event.
func (e Struck) Apply(s *Register) { delete(s.Names, e.CampaignID) }
