package platform

import (
	"context"
	"encoding/json"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	accessmodels "github.com/parley-platform/parley/projections/access"
)

// scopeOf is the scope that a request is about, as a resolver below found it; empty
// if there was none.
func scopeOf(ctx context.Context) accessmodels.ScopeInfo {
	return rest.Found[accessmodels.ScopeInfo](ctx)
}

func errNoScope() error { return fault.New(fault.NotFound, "scope not found") }

// scopeOfBody finds the scope that the body names. It runs before the fields are
// looked at, because what does not exist is refused before what is malformed; a
// name that is missing or not a text is left to those who look at fields.
func (k Keys) scopeOfBody(ctx context.Context, _ rest.Params) (context.Context, error) {
	var members map[string]json.RawMessage
	if rest.UnfitBody(ctx) || json.Unmarshal(rest.RawBody(ctx), &members) != nil {
		return ctx, nil // a body that is empty, or of which nothing is made
	}
	var raw string
	if json.Unmarshal(members["scope_name"], &raw) != nil {
		return ctx, nil
	}
	name, problem := access.CleanName(raw)
	if problem != "" {
		name = access.PlainName(raw) // a scope may have got it before so much was refused
	}
	if name == "" {
		return ctx, nil
	}
	s, ok, err := k.Access.ScopeNamed(ctx, rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID, name)
	switch {
	case err != nil:
		return ctx, err
	case !ok && problem != "":
		return ctx, nil // those who look at fields say what is wrong with it
	case !ok:
		return ctx, errNoScope()
	}
	return rest.About(ctx, s), nil
}

// scopeOfPath finds the scope of the app in the path. It must be the calling key's
// own: another one of the same app may not be seen (403), one of another app does
// not exist (404).
func (k Keys) scopeOfPath(ctx context.Context, p rest.Params) (context.Context, error) {
	id := p.Path("scopeId")
	if !access.ValidScopeID(id) {
		return ctx, errNoScope()
	}
	s, ok, err := k.Access.Scope(ctx, rest.PrincipalOf(ctx).TenantID, id)
	switch {
	case err != nil:
		return ctx, err
	case !ok, s.ProjectID != rest.ProjectOf(ctx).ID:
		return ctx, errNoScope()
	case s.ID != rest.PrincipalOf(ctx).ScopeID:
		return ctx, fault.New(fault.Forbidden, "the API key belongs to another scope")
	}
	return rest.About(ctx, s), nil
}

// keyOfPath finds the scope that has the key in the path. With an Idempotency-Key
// the key may have been revoked by the same request before, which the operation
// finds out.
func (k Keys) keyOfPath(ctx context.Context, p rest.Params) (context.Context, error) {
	id := p.Path("keyId")
	if !access.ValidKeyID(id) {
		return ctx, errNoKey()
	}
	scopeID, projectID, ok, err := k.Access.KeyScope(ctx, rest.PrincipalOf(ctx).TenantID, id)
	switch {
	case err != nil:
		return ctx, err
	case ok && projectID != rest.ProjectOf(ctx).ID, !ok && p.Header("Idempotency-Key") == "":
		return ctx, errNoKey()
	case !ok:
		return ctx, nil
	}
	s, ok, err := k.Access.Scope(ctx, rest.PrincipalOf(ctx).TenantID, scopeID)
	if err != nil || !ok { // removed in between: the decision says so
		return rest.About(ctx, accessmodels.ScopeInfo{ID: scopeID, ProjectID: projectID}), err
	}
	return rest.About(ctx, s), nil
}

// withinOwn refuses a scope that permits more than the caller holds, before faults of
// fields are told. The decision judges it again, on the state that it is made on.
func withinOwn(ctx context.Context, _ rest.Params) (context.Context, error) {
	if !rest.PrincipalOf(ctx).Rights().HoldsScopeOfKeys(scopeOf(ctx).Permissions) {
		return ctx, access.NotHeld()
	}
	return ctx, nil
}

// widensNothing refuses a body that says YES to what the caller neither holds nor may
// give back. What is no permission is left to those who look at fields.
func (k Keys) widensNothing(ctx context.Context, _ rest.Params) (context.Context, error) {
	var body struct {
		Permissions map[string]any `json:"permissions"`
	}
	if rest.UnfitBody(ctx) || json.Unmarshal(rest.RawBody(ctx), &body) != nil {
		return ctx, nil // a body that is empty, or of which nothing is made
	}
	by := rest.PrincipalOf(ctx)
	given := map[access.KeyPermission]string{}
	for name, value := range body.Permissions {
		if value == access.Yes && access.ValidKeyPermission(name) {
			given[access.KeyPermission(name)] = access.Yes
		}
	}
	if by.Rights().HoldsScopeOfKeys(given) {
		return ctx, nil
	}
	read, err := eventstore.Read(ctx, k.Store, access.Scopes, access.ScopeStream(by.TenantID, scopeOf(ctx).ID))
	if err == nil && !by.Rights().Within(read.State).HoldsScopeOfKeys(given) {
		err = access.NotHeld()
	}
	return ctx, err
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

// scopeOfRequest is the id of the scope on which this request took effect before, by
// its Idempotency-Key; empty if there is none. The path is part of what is asked for,
// so it is a scope of the app.
func (k Keys) scopeOfRequest(ctx context.Context) (string, error) {
	key, ok := rest.Idempotency(ctx)
	if !ok {
		return "", nil
	}
	return k.Access.ScopeOfRequest(ctx, rest.PrincipalOf(ctx).TenantID, k.RequestID(ctx, key))
}
