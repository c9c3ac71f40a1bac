package apply

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// planner decides manifests on the state as it will be when those before them have
// been applied. All of it is in memory and belongs to one request.
type planner struct {
	*Applier
	by       Caller
	states   map[string]any       // *S by stream
	claims   map[string]*draft    // what can be there once only, by name
	unknown  map[string]bool      // tenants that are neither defined nor in the set
	defaults map[string]*draft    // the trunk that claims the default, by tenant
	occupied map[[2]string]*draft // a manifest in a project, by tenant and project
	needed   map[string]need      // what a manifest names, by its claim
	renamed  []renamed
	told     map[string]any // eventstore.Told by stream, where an earlier try of the request is looked for
}

// need is that a manifest names a thing.
type need struct {
	by    *draft
	field string
}

// renamed is that a manifest gives another name to what others call by its old one.
type renamed struct {
	by    *draft
	was   string
	taken func(name string) bool                                 // another one has the name at last, and is meant from now on
	named func(context.Context, *planner) (by string, err error) // who says the old name still, empty for nobody
}

func newPlanner(a *Applier, by Caller) *planner {
	return &planner{Applier: a, by: by, states: map[string]any{}, claims: map[string]*draft{}, unknown: map[string]bool{},
		defaults: map[string]*draft{}, occupied: map[[2]string]*draft{}, needed: map[string]need{}, told: map[string]any{}}
}

// stateOf is the planned state of a stream; changes to it stay in the plan.
func stateOf[S any](ctx context.Context, p *planner, agg *event.Aggregate[S], stream string) (*S, error) {
	if s, ok := p.states[stream].(*S); ok {
		return s, nil
	}
	loaded, err := eventstore.Read(ctx, p.store, agg, stream)
	if err != nil {
		return nil, err
	}
	p.states[stream] = &loaded.State
	return &loaded.State, nil
}

// plan works out the steps of one manifest and notes all that is wrong with it. The
// error is a failure of ours.
func (p *planner) plan(ctx context.Context, d *draft) error {
	if d.kind == nil {
		return nil
	}
	steps, err := d.kind.steps(ctx, p, d)
	if err != nil {
		return err
	}
	d.steps = steps
	if err := p.earlier(ctx, d); err != nil {
		return err
	}
	for _, s := range steps {
		if !d.readable {
			break // what would be decided is not what was meant
		}
		if s.raised().before {
			continue
		}
		if err := s.plan(ctx, p); err != nil {
			f, ok := refusal(err)
			if !ok && f != nil && f.Code == fault.Forbidden {
				return fault.New(fault.Forbidden, "%s: %s; nothing was applied", d.title(), f.Message)
			}
			if !ok {
				return err
			}
			if len(f.Details) == 0 || f.Code != fault.Validation { // else they name no field of the manifest
				d.fault("", "%s", f.Message)
				continue
			}
			for _, detail := range f.Details {
				d.fault(detail.Field, "%s", detail.Problem)
			}
		}
	}
	if len(d.faults) > 0 {
		return d.kind.pretend(ctx, p, d)
	}
	return nil
}

// earlier looks for what an earlier try of the request has done, from the last step to the first: one may know it by that behind it.
func (p *planner) earlier(ctx context.Context, d *draft) error {
	for n, s := range slices.Backward(d.steps) {
		cmd := d.command(p.by, n)
		if cmd.RequestID == "" || !d.readable {
			return nil
		}
		if err := s.earlier(ctx, p, cmd); err != nil {
			return err
		}
	}
	d.through()
	return nil
}

// claim notes that the set defines a thing, and refuses it a second time.
func (p *planner) claim(d *draft, field string, parts ...string) {
	name := claimOf(d.Kind, parts)
	if first, taken := p.claims[name]; taken {
		d.fault(field, "is defined twice in this set, first by %s", first.place())
		return
	}
	p.claims[name] = d
}

// claimed finds the manifest of the set that defines a thing.
func (p *planner) claimed(kind string, parts ...string) (*draft, bool) {
	d, ok := p.claims[claimOf(kind, parts)]
	return d, ok
}

func claimOf(kind string, parts []string) string { return kind + "\x00" + strings.Join(parts, "\x00") }

// needs notes that a manifest names a thing, which works no more without it.
func (p *planner) needs(d *draft, field, kind string, parts ...string) {
	p.needed[claimOf(kind, parts)] = need{d, field}
}

// neededBy says why prune cannot remove a thing that a manifest of the set names, empty
// for one that none names.
func (p *planner) neededBy(kind string, parts ...string) string {
	n, named := p.needed[claimOf(kind, parts)]
	if !named {
		return ""
	}
	return fmt.Sprintf("%s names it in %s: put its %s manifest into the set, or name another one", n.by.title(), n.field, kind)
}

// renames notes that a manifest is about a thing that had a name; was is empty for one that is new.
func (p *planner) renames(d *draft, was string, taken func(string) bool, named func(context.Context, *planner) (string, error)) {
	if was != "" && was != access.PlainName(d.meta.Name) {
		p.renamed = append(p.renamed, renamed{d, was, taken, named})
	}
}

// astray refuses new names of what is called by the old one when everything of the set is planned, removals too.
func (p *planner) astray(ctx context.Context) error {
	for _, r := range p.renamed {
		if r.taken(r.was) {
			continue
		}
		by, err := r.named(ctx, p)
		if err != nil {
			return err
		}
		if by != "" {
			r.by.fault("metadata.name", "%s calls it %q: put that manifest with the new name into this set, or keep the old one", by, r.was)
		}
	}
	return nil
}

// tenant is the state of the manifest's tenant. One that is not there is a fault,
// and taken as there, so that the rest of the manifest is judged all the same.
func (p *planner) tenant(ctx context.Context, d *draft) (*access.TenantState, error) {
	id := d.meta.Tenant
	s, err := stateOf(ctx, p, access.Tenants, access.TenantStream(id))
	if err != nil {
		return nil, err
	}
	if s.ID == "" {
		p.unknown[id], s.ID = true, id
	}
	switch {
	case id == "":
		d.fault("metadata.tenant", "is required")
	case p.unknown[id]:
		d.fault("metadata.tenant", "%q is not defined: put its Tenant manifest into this set, or apply it before", id)
	}
	return s, nil
}

// project is the id of the project that spec.projectId means, by id or alias.
func (p *planner) project(ctx context.Context, d *draft, name string) (string, error) {
	s, err := p.tenant(ctx, d)
	if err != nil {
		return "", err
	}
	return p.within(s, d, "spec.projectId", name), nil
}

// within is the id of the project of the manifest's tenant that a field means, by id or
// alias. The name itself comes back for one that is not there.
func (p *planner) within(s *access.TenantState, d *draft, field, name string) string {
	if found, ok := s.Resolve(name); ok {
		if in := [2]string{d.meta.Tenant, found.ID}; p.occupied[in] == nil {
			p.occupied[in] = d
		}
		return found.ID
	}
	if name != "" { // an absent one has been noted as missing
		d.fault(field, "%q is not a project of tenant %s: put its Project manifest into this set, or apply it before", name, d.meta.Tenant)
	}
	return name
}
