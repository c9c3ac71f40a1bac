package platform

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/apply"
	manifests "github.com/parley-platform/parley/handlers/apply/manifest"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
)

// Applier applies manifests: all of them, or none.
type Applier interface {
	Do(ctx context.Context, r apply.Request, by apply.Caller) (apply.Report, error)
}

// maxManifests is the largest body of an apply, in bytes.
const maxManifests = 8 << 20

// maxManifestValues is how many values all manifests of an apply may hold: lists of
// contacts have many small ones.
const maxManifestValues = 400_000

// Admin is what administering a workspace needs.
type Admin struct {
	rest.Commands
	Applier Applier
}

// DeclareAdmin declares what administers a workspace.
func DeclareAdmin(api *rest.API, x Admin) {
	rest.Declare(api, rest.Operation{
		ID: "apply-manifests", Method: http.MethodPost, Path: "/api/v1/admin/apply", Tags: []string{"Administration"},
		Summary: "Apply manifests",
		Description: "Makes or changes what the API has no create call for. All manifests are checked first, references between them included; " +
			"if anything is wrong, every fault is named in the details and nothing is applied. Applying twice changes nothing. " +
			"A token of a tenant's client applies to that tenant only, and neither gives nor takes what it does not hold: a Client or Scope " +
			"that may do more than the token, before or after the change, is refused (403). " +
			"With prune, what manifests made earlier and the set does not name any more is removed, after everything else: only in tenants whose " +
			"Tenant manifest is in the set, " +
			"and never the tenant itself. The keys of a removed scope are revoked with it. A client cannot prune itself: 409.",
		Requirement: access.Needs(access.PermAdminApply), Extension: true, MaxBody: maxManifests, MaxValues: maxManifestValues,
		Refusals: []fault.Code{fault.Conflict, fault.OutcomeUnknown},
	}, x.apply)
}

type applyIn struct {
	Body struct {
		Manifests []manifest `json:"manifests" required:"true" minItems:"1" maxItems:"2000" doc:"In any order; they are applied in the order in which kinds depend on each other."`
		DryRun    bool       `json:"dryRun,omitempty" doc:"Check and decide, but change nothing; the results show the events that there would be."`
		Prune     bool       `json:"prune,omitempty" doc:"Remove what manifests made earlier and this set does not name any more, in each tenant whose Tenant manifest is in the set; without one it is refused. The set must hold all manifests of such a tenant. With dryRun it is shown what would be removed."`
	}
}

type manifest struct {
	Kind     string          `json:"kind" required:"true" example:"Project" doc:"Tenant, Project, Client, Scope, Trunk, Agent or ExperienceFlow."`
	Metadata jsontext.Object `json:"metadata,omitempty" doc:"id, name, and tenant: the account; without one that of the token."`
	Spec     jsontext.Object `json:"spec,omitempty" doc:"In the API's own field names; docs/schemas/manifests has a JSON Schema per kind. A field that is not known is refused."`
	File     string          `json:"file,omitempty" maxLength:"512" pattern:"^[^\\x00-\\x1f]*$" patternDescription:"a name on one line" doc:"Where it was read from, for the names of faults."`
	Line     int             `json:"line,omitempty" minimum:"0" doc:"The line where it begins there."`
}

type applyOut struct {
	Body struct {
		Success bool              `json:"success" required:"true"`
		DryRun  bool              `json:"dryRun,omitempty"`
		Results []appliedManifest `json:"results" required:"true" doc:"In the order of the request, then what was removed, in the order of its removal."`
	}
}

type appliedManifest struct {
	Kind      string            `json:"kind" required:"true"`
	ID        string            `json:"id,omitempty"`
	Name      string            `json:"name" required:"true"`
	Tenant    string            `json:"tenant" required:"true"`
	Outcome   apply.Outcome     `json:"outcome" required:"true" enum:"created,changed,unchanged,removed"`
	Events    []appliedEvent    `json:"events,omitempty" doc:"What it led to, or would."`
	Generated map[string]string `json:"generated,omitempty" doc:"Secrets that were made because the manifest names none, by field. They are told this once."`
	File      string            `json:"file,omitempty"`
	Line      int               `json:"line,omitempty"`
}

type appliedEvent struct {
	Type   string         `json:"type" required:"true" example:"parley.tenants.project-defined.v1"`
	Stream string         `json:"stream" required:"true"`
	Data   map[string]any `json:"data,omitempty" doc:"Of a dry run; secrets are not shown."`
}

func (x Admin) apply(ctx context.Context, in *applyIn) (*applyOut, error) {
	r := apply.Request{DryRun: in.Body.DryRun, Prune: in.Body.Prune}
	for _, m := range in.Body.Manifests {
		r.Manifests = append(r.Manifests, manifests.Manifest{Kind: m.Kind, Metadata: json.RawMessage(m.Metadata), Spec: json.RawMessage(m.Spec),
			File: m.File, Line: m.Line})
	}
	p := rest.PrincipalOf(ctx)
	report, err := x.Applier.Do(ctx, r, apply.Caller{Actor: p.Actor(), TenantID: p.TenantID, ClientID: p.ClientID, Operator: p.Operator,
		CorrelationID: rest.CorrelationID(ctx), Rights: p.Rights(), Request: x.Caller(ctx).Command})
	if err != nil {
		return nil, err
	}
	if report.Replayed {
		rest.MarkReplayed(ctx)
	}
	var out applyOut
	out.Body.Success, out.Body.DryRun = true, report.DryRun
	for _, r := range report.Results {
		out.Body.Results = append(out.Body.Results, resultOf(r))
	}
	return &out, nil
}

func resultOf(r apply.Result) appliedManifest {
	out := appliedManifest{Kind: r.Kind, ID: r.ID, Name: r.Name, Tenant: r.Tenant, Outcome: r.Outcome, Generated: r.Generated, File: r.File,
		Line: r.Line}
	for _, e := range r.Events {
		event := appliedEvent{Type: e.Type, Stream: e.Stream}
		if len(e.Data) > 0 && json.Unmarshal(e.Data, &event.Data) != nil {
			event.Data = nil // never: it was made from an event
		}
		out.Events = append(out.Events, event)
	}
	return out
}
