package access

import (
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// DefineTenant makes or changes a tenant (manifest kind Tenant).
type DefineTenant struct {
	ID    string // metadata.id: the account id
	Name  string // metadata.name
	OrgID string // spec.orgId
}

// TenantDefined says what the tenant now is.
type TenantDefined struct {
	TenantID string `json:"tenantId"`
	Name     string `json:"name"`
	OrgID    string `json:"orgId"`
}

var _ = event.Register[TenantDefined](Tenants, "defined", 1)

// Decide refuses another organisation for an existing tenant: its human agents are
// that organisation's.
func (c DefineTenant) Decide(s TenantState) ([]event.Payload, error) {
	var f fault.Fields
	CheckID(&f, "metadata.id", c.ID)
	CheckID(&f, "spec.orgId", c.OrgID)
	name := CheckName(&f, "metadata.name", c.Name)
	if s.ID != "" && c.ID != s.ID {
		f.Add("metadata.id", "is not the tenant of this stream")
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	if s.OrgID != "" && c.OrgID != s.OrgID {
		return nil, fault.New(fault.Conflict, "spec.orgId of tenant %s is %s and cannot change", s.ID, s.OrgID)
	}
	if s.ID != "" && s.Name == name {
		return nil, nil
	}
	return []event.Payload{TenantDefined{TenantID: c.ID, Name: name, OrgID: c.OrgID}}, nil
}

// Apply folds the event.
func (e TenantDefined) Apply(s *TenantState) { s.ID, s.Name, s.OrgID = e.TenantID, e.Name, e.OrgID }
