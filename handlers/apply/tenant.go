package apply

import (
	"context"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// TenantSpec is the spec of kind Tenant; metadata.id is the account id.
type TenantSpec struct {
	OrgID string `json:"orgId" jsonschema:"required,minLength=1,example=acme-org" jsonschema_description:"The organisation of the tenant's human agents. It cannot change."`
}

var tenantKind = define(label{
	name: tenantName,
	about: "One account: everything else belongs to one. Its metadata.id is the accountId of tokens and paths. Only the operator can create " +
		"it.",
}, tenantSteps, pretendTenant)

func tenantSteps(_ context.Context, p *planner, d *draft, spec TenantSpec) ([]step, error) {
	id := d.meta.ID
	p.claim(d, "metadata.id", id)
	if id == OperatorAccount {
		d.fault("metadata.id", "is the account of operators' tokens")
	}
	define := access.DefineTenant{ID: id, Name: d.meta.Name, OrgID: spec.OrgID}
	decide := func(s access.TenantState) ([]event.Payload, error) {
		if s.ID == "" && !p.by.Operator {
			return nil, fault.Field("metadata.id", "can be created by the operator only")
		}
		return define.Decide(s)
	}
	exists := func(s access.TenantState) bool { return s.ID != "" }
	return []step{on(access.Tenants, access.TenantStream(id), decide, exists)}, nil
}

func pretendTenant(ctx context.Context, p *planner, d *draft, spec TenantSpec) error {
	s, err := stateOf(ctx, p, access.Tenants, access.TenantStream(d.meta.ID))
	if err == nil && s.ID == "" {
		s.ID, s.Name, s.OrgID = d.meta.ID, d.meta.Name, spec.OrgID
	}
	return err
}
