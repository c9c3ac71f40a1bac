// Package apply makes what the API has no create call for, from manifests: tenants,
// projects, clients, scopes, trunks, agents, experience flows.
//
// A set of manifests is taken in two passes. First all of it is decoded, checked
// against the schemas of its kinds, and decided on the current state in memory, one
// manifest after the other in the order in which kinds depend on each other; if
// anything is wrong, everything that is wrong is reported with file, line and field,
// and nothing is applied. Then each manifest's commands are executed. A manifest
// says what something is, so applying it again changes nothing.
//
// A set that is all of a tenant can be pruned by as well: what manifests made earlier
// and the set does not name any more is removed last, and what depends on other things
// before them. Each kind says what it has left over; the streams tell, not the read
// models. Removals are decided in the first pass like everything else. What no single
// stream can tell, such as a flow that names a removed agent, is judged there only.
//
// The package owns what manifests say (one file per kind) and their JSON Schemas; their
// form is read by the package manifest. It never decides what a good tenant or project is (domain does), and
// no secret of a manifest leaves it unsealed, except one that it made itself, which
// is handed to the caller once.
package apply

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/apply/manifest"
)

// OperatorClient is the id of the built-in issuer of operators' tokens. No tenant
// can have a client of that name.
const OperatorClient = "parley-operator"

// OperatorAccount is the account of operators' tokens that name none. No tenant can
// have that id.
const OperatorAccount = "operator"

// MaxManifests is how many manifests one request may have.
const MaxManifests = 2000

// Applier applies manifests through an event store.
type Applier struct {
	store *eventstore.Store
	vault Vault
	now   func() time.Time
	guard func(url string) error // see Guarded; nil: none
	keys  keyReader              // see Keyed; nil: none is looked for
}

// keyReader knows the API keys of all tenants, by the keyed hashes of their secrets.
type keyReader interface {
	KeyWith(ctx context.Context, hash string) (tenant, id string, ok bool, err error)
}

// New is an applier; the vault seals what must not be read in events. Its clock is the
// store's, which all nodes share.
func New(store *eventstore.Store, vault Vault) *Applier {
	return &Applier{store: store, vault: vault, now: func() time.Time { return store.Now() }}
}

// Guarded refuses addresses in manifests that would never be asked, as those in the API.
func (a *Applier) Guarded(check func(url string) error) *Applier {
	a.guard = check
	return a
}

// Keyed refuses public keys whose text is that of another key, whosever that is: a text opens what one key is for.
func (a *Applier) Keyed(keys keyReader) *Applier {
	a.keys = keys
	return a
}

// Request is a set of manifests that belong together.
type Request struct {
	Manifests []manifest.Manifest
	DryRun    bool // decide, and show what would happen, but append nothing

	// Prune removes, after everything else, what manifests made earlier in the tenants
	// whose Tenant manifest is in the set and what the set does not name any more.
	// Tenants themselves stay.
	Prune bool
}

// Caller is who applies.
type Caller struct {
	Actor         string // as in events
	TenantID      string // whose caller it is, and the tenant of manifests that name none
	ClientID      string // of its token; no client but the operator's may prune itself
	Operator      bool   // may touch every tenant and create tenants
	CorrelationID string

	// Request is the request that this is a try of, by its Idempotency-Key: ids and hashes alone count. A repeat has for each manifest
	// what the first try came to, and does none of it again.
	Request eventstore.Command

	// Rights bound the clients and scopes that it defines and removes; an operator's are
	// not asked for.
	Rights access.Rights
}

func (c Caller) rights() access.Rights {
	if c.Operator {
		return access.Everything
	}
	return c.Rights
}

// Outcome is what became of one manifest.
type Outcome string

// The outcomes.
const (
	Created   Outcome = "created"
	Changed   Outcome = "changed"
	Unchanged Outcome = "unchanged"
	Removed   Outcome = "removed" // of a thing that no manifest names, with Prune
)

// Report tells what became of each manifest, in the order of the request, and then
// what was removed, in the order of its removal.
type Report struct {
	DryRun   bool
	Replayed bool // all that was done was done by an earlier try of the request
	Results  []Result
}

// Result is what became of one manifest, or of a thing that was removed, which has no
// file and line.
type Result struct {
	File    string
	Line    int
	Kind    string
	ID      string // of a kind without ids: the name
	Name    string
	Tenant  string
	Outcome Outcome
	Events  []Event // appended, or that would be with DryRun

	// Generated are the secrets that were made because the manifest names none, by
	// field. They are told this once.
	Generated map[string]string
}

// Do applies the manifests, or none of them.
//
// A set that is wrong by itself or against the current state is refused with
// VALIDATION_ERROR, whose details name every fault (see FieldOf and PruneField). If the state
// changes between the two passes and the domain then refuses, the error has the
// domain's code and its message says what was applied before and what was not.
func (a *Applier) Do(ctx context.Context, r Request, by Caller) (Report, error) {
	drafts, err := a.check(ctx, r, by)
	if err != nil {
		return Report{}, err
	}
	if !r.DryRun {
		if err := a.run(ctx, drafts, by); err != nil {
			return Report{}, err
		}
	}
	report := Report{DryRun: r.DryRun, Replayed: replayed(drafts), Results: make([]Result, len(drafts))}
	for _, d := range drafts {
		report.Results[d.index] = d.result(r.DryRun)
	}
	return report, nil
}

// check is the first pass. The drafts come back in the order in which they are to
// be applied; removals are the last. What is to be removed is asked only of a set that
// is right by itself: a manifest whose id is wrong names nothing.
func (a *Applier) check(ctx context.Context, r Request, by Caller) ([]*draft, error) {
	switch n := len(r.Manifests); {
	case n == 0:
		return nil, fault.Field("manifests", "must have at least one manifest")
	case n > MaxManifests:
		return nil, fault.Field("manifests", "must be at most %d, are %d: apply them in several sets", MaxManifests, n)
	}
	drafts := make([]*draft, len(r.Manifests))
	for i := range r.Manifests {
		drafts[i] = read(i, &r.Manifests[i], by)
	}
	if err := own(drafts, by); err != nil {
		return nil, err
	}
	if r.Prune {
		if err := prunable(drafts); err != nil {
			return nil, err
		}
	}
	sortByKind(drafts)
	p := newPlanner(a, by)
	for _, d := range drafts {
		if err := p.plan(ctx, d); err != nil {
			return nil, err
		}
	}
	if err := faultsOf(drafts).Err(); err != nil {
		return nil, err
	}
	var removals []*draft
	if r.Prune {
		var err error
		if removals, err = p.prune(ctx, drafts); err != nil {
			return nil, err
		}
	}
	if err := p.astray(ctx); err != nil {
		return nil, err
	}
	return append(drafts, removals...), faultsOf(drafts).Err()
}

// own refuses another tenant's things before anything is said about the manifests:
// to the caller that tenant does not exist.
func own(drafts []*draft, by Caller) error {
	if by.Operator {
		return nil
	}
	for _, d := range drafts {
		if d.meta.Tenant != "" && d.meta.Tenant != by.TenantID {
			return fault.New(fault.NotFound, "%s: there is no such tenant", d.place())
		}
	}
	return nil
}

// run is the second pass.
func (a *Applier) run(ctx context.Context, drafts []*draft, by Caller) error {
	for i, d := range drafts {
		if d.outcome() == Unchanged {
			continue
		}
		if err := d.run(ctx, a.store, by); err != nil {
			return stopped(drafts, i, err)
		}
	}
	return nil
}

// untold names what was applied with a secret that was made for it: a refusal tells none, and applied again it keeps it.
func untold(applied []*draft) string {
	made := slices.DeleteFunc(slices.Clone(applied), func(d *draft) bool { return len(d.revealed()) == 0 })
	if len(made) == 0 {
		return ""
	}
	return "; a secret was made that nobody is told of, so give one of your own to: " + titles(made)
}

// stopped tells how far it came, in words: what was applied stays applied.
func stopped(drafts []*draft, at int, cause error) error {
	var f *fault.Error
	if !errors.As(cause, &f) {
		f = fault.New(fault.Internal, "an unexpected failure").Because(cause)
	}
	told := fault.New(f.Code, "%s: %s; applied before it: %s; not applied: %s; what was applied stays, so correct the manifests if need be "+
		"and apply all of them again%s",
		drafts[at].title(), f.Message, titles(drafts[:at]), titles(drafts[at:]), untold(drafts[:at]))
	told.Retry, told.Cause = f.Retry, cause
	for _, detail := range f.Details {
		told.Details = append(told.Details, fault.Detail{Field: drafts[at].field(detail.Field), Problem: detail.Problem})
	}
	return told
}
