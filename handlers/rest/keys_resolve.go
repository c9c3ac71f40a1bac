package rest

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

type scopeContextKey struct{}

// scopeOf is the scope that a request is about, as a resolver below found it; empty
// if there was none.
func scopeOf(ctx context.Context) projections.ScopeInfo {
	s, _ := ctx.Value(scopeContextKey{}).(projections.ScopeInfo)
	return s
}

func withScope(ctx context.Context, s projections.ScopeInfo) context.Context {
	return context.WithValue(ctx, scopeContextKey{}, s)
}

func errNoScope() error { return fault.New(fault.NotFound, "scope not found") }

// scopeOfBody finds the scope that the body names. It runs before the fields are
// looked at, because what does not exist is refused before what is malformed; a
// name that is missing or not a text is left to those who look at fields.
func (k Keys) scopeOfBody(ctx context.Context, _ Params) (context.Context, error) {
	var members map[string]json.RawMessage
	if exchangeOf(ctx).unfit || json.Unmarshal(RawBody(ctx), &members) != nil {
		return ctx, nil // a body that is empty, or of which nothing is made
	}
	var raw string
	if json.Unmarshal(members["scope_name"], &raw) != nil {
		return ctx, nil
	}
	name, problem := access.CleanName(raw)
	if problem != "" {
		return ctx, nil
	}
	s, ok, err := k.Access.ScopeNamed(ctx, PrincipalOf(ctx).TenantID, ProjectOf(ctx).ID, name)
	if err != nil {
		return ctx, err
	}
	if !ok {
		return ctx, errNoScope()
	}
	return withScope(ctx, s), nil
}

// scopeOfPath finds the scope of the app in the path. It must be the calling key's
// own: another one of the same app may not be seen (403), one of another app does
// not exist (404).
func (k Keys) scopeOfPath(ctx context.Context, p Params) (context.Context, error) {
	id := p.Path("scopeId")
	if !access.ValidScopeID(id) {
		return ctx, errNoScope()
	}
	s, ok, err := k.Access.Scope(ctx, PrincipalOf(ctx).TenantID, id)
	switch {
	case err != nil:
		return ctx, err
	case !ok, s.ProjectID != ProjectOf(ctx).ID:
		return ctx, errNoScope()
	case s.ID != PrincipalOf(ctx).ScopeID:
		return ctx, fault.New(fault.Forbidden, "the API key belongs to another scope")
	}
	return withScope(ctx, s), nil
}

// keyOfPath finds the scope that has the key in the path. With an Idempotency-Key
// the key may have been revoked by the same request before, which the operation
// finds out.
func (k Keys) keyOfPath(ctx context.Context, p Params) (context.Context, error) {
	id := p.Path("keyId")
	if !access.ValidKeyID(id) {
		return ctx, errNoKey()
	}
	scopeID, projectID, ok, err := k.Access.KeyScope(ctx, PrincipalOf(ctx).TenantID, id)
	switch {
	case err != nil:
		return ctx, err
	case ok && projectID != ProjectOf(ctx).ID, !ok && p.Header("Idempotency-Key") == "":
		return ctx, errNoKey()
	case !ok:
		return ctx, nil
	}
	return withScope(ctx, projections.ScopeInfo{ID: scopeID, ProjectID: projectID}), nil
}

// refuseOtherRequest keeps an Idempotency-Key from creating a second key in another
// scope: the scope's own stream only knows the requests that were about it. Of two
// that come at the very same moment both may pass; their keys have different ids.
func (k Keys) refuseOtherRequest(ctx context.Context, scopeID string) error {
	used, err := k.scopeOfRequest(ctx)
	if err != nil {
		return err
	}
	if used != "" && used != scopeID {
		return fault.New(fault.Conflict, "this Idempotency-Key was used with another request")
	}
	return nil
}

// scopeOfRequest is the id of the app's scope on which a request with this
// Idempotency-Key took effect before; empty if there is none.
func (k Keys) scopeOfRequest(ctx context.Context) (string, error) {
	key, ok := Idempotency(ctx)
	if !ok {
		return "", nil
	}
	tenantID, requestID := PrincipalOf(ctx).TenantID, k.requestID(ctx, key)
	tenant, err := eventstore.Load(ctx, k.Store, access.Tenants, access.TenantStream(tenantID))
	if err != nil {
		return "", err
	}
	for _, id := range slices.Sorted(maps.Keys(tenant.State.Scopes)) {
		if tenant.State.Scopes[id].ProjectID != ProjectOf(ctx).ID {
			continue
		}
		records, err := k.Store.Index.Load(ctx, access.ScopeStream(tenantID, id))
		if err != nil {
			return "", err
		}
		if slices.ContainsFunc(records, func(r *eventstore.Record) bool { return r.RequestID == requestID }) {
			return id, nil
		}
	}
	return "", nil
}
