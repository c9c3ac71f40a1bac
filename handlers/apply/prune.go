package apply

import (
	"context"
	"maps"
	"slices"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/apply/manifest"
)

// PruneField is the field of the details of a refusal that is about a removal: such
// a thing has no manifest in the set whose field could be named.
const PruneField = "prune"

// leftover is a thing that manifests made earlier and that the set does not name any
// more.
type leftover struct {
	id, name string
	steps    []step
	refused  string // why it cannot go, where no single stream can tell
}

// leftovers finds those of one kind in a tenant, on the planned state: what is of
// kinds that depend on this one and goes as well is gone from it already. The error
// is a failure of ours, or a refusal of the whole request.
type leftovers func(ctx context.Context, p *planner, tenant string) ([]leftover, error)

// prunable refuses a set that does not say that it is all of a tenant. A Tenant
// manifest says so: one file of many, pruned by mistake, would remove the rest.
func prunable(drafts []*draft) error {
	if slices.ContainsFunc(drafts, func(d *draft) bool { return d.kind == tenantKind }) {
		return nil
	}
	return fault.Field(PruneField, "needs a Tenant manifest in the set: it removes what the set does not name, so the set must hold all of "+
		"a tenant's manifests, that of the tenant itself included")
}

// prune plans the removals in every tenant that has a Tenant manifest in the set, in
// the order in which they are to happen, after everything of the set: first what
// depends on other things. Results of removals stand behind those of the manifests.
func (p *planner) prune(ctx context.Context, drafts []*draft) ([]*draft, error) {
	var removals []*draft
	var faults fault.Fields
	for _, tenant := range drafts {
		if tenant.kind != tenantKind {
			continue
		}
		for _, k := range slices.Backward(kinds) {
			gone, err := p.pruneKind(ctx, k, tenant.meta.ID, &faults)
			if err != nil {
				return nil, err
			}
			removals = append(removals, gone...)
		}
	}
	for i, d := range removals {
		d.index = len(drafts) + i
	}
	return removals, faults.Err()
}

func (p *planner) pruneKind(ctx context.Context, k *kind, tenant string, faults *fault.Fields) ([]*draft, error) {
	if k.leftovers == nil {
		return nil, nil
	}
	left, err := k.leftovers(ctx, p, tenant)
	if err != nil {
		return nil, err
	}
	var removals []*draft
	for _, l := range left {
		d := &draft{Manifest: &manifest.Manifest{Kind: k.name}, kind: k, meta: Metadata{ID: l.id, Name: l.name, Tenant: tenant}, steps: l.steps,
			removal: true}
		problem, err := p.planRemoval(ctx, d, l.refused)
		if err != nil {
			return nil, err
		}
		if problem != "" {
			faults.Add(PruneField, "cannot remove %s %s of tenant %s: %s", k.name, l.id, tenant, problem)
		}
		removals = append(removals, d)
	}
	return removals, nil
}

// planRemoval decides a removal on the planned state; the problem is empty when
// nothing speaks against it.
func (p *planner) planRemoval(ctx context.Context, d *draft, refused string) (problem string, err error) {
	if refused != "" {
		return refused, nil
	}
	for _, s := range d.steps {
		if err := s.plan(ctx, p); err != nil {
			f, ok := refusal(err)
			if !ok {
				return "", err
			}
			return f.Message, nil
		}
	}
	return "", nil
}

// removing is the step that takes a thing away which is known to be there.
func removing[S any](agg *event.Aggregate[S], stream string, decide func(S) ([]event.Payload, error)) step {
	return on(agg, stream, decide, func(S) bool { return true })
}

// unnamed are the keys of things that no manifest of the set is about, in order.
func unnamed[T any](p *planner, things map[string]T, k string, scope ...string) []string {
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(things)) {
		if _, named := p.claimed(k, append(slices.Clone(scope), key)...); !named {
			keys = append(keys, key)
		}
	}
	return keys
}

// leftInProjects are the things of a kind that a stream of each project holds.
func leftInProjects[S any](kind string, agg *event.Aggregate[S], stream func(tenant, project string) string,
	names func(*S) map[string]string, remove func(tenant, project, id string) func(S) ([]event.Payload, error)) leftovers {
	return func(ctx context.Context, p *planner, tenant string) ([]leftover, error) {
		return inProjects(ctx, p, tenant, func(project string) ([]leftover, error) {
			stream := stream(tenant, project)
			s, err := stateOf(ctx, p, agg, stream)
			if err != nil {
				return nil, err
			}
			all := names(s)
			var left []leftover
			for _, id := range unnamed(p, all, kind, tenant, project) {
				left = append(left, leftover{id: id, name: all[id], refused: p.neededBy(kind, tenant, project, id),
					steps: []step{removing(agg, stream, remove(tenant, project, id))}})
			}
			return left, nil
		})
	}
}

// namesOf are the names of things by their ids.
func namesOf[T any](things map[string]T, name func(T) string) map[string]string {
	names := make(map[string]string, len(things))
	for id, thing := range things {
		names[id] = name(thing)
	}
	return names
}
