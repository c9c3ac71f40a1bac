package platform

import (
	"context"
	"net/http"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	accessmodels "github.com/parley-platform/parley/projections/access"
)

// declareScopes adds the two operations on a scope. The calling key must be one of
// the scope's own.
func (k Keys) declareScopes(api *rest.API) {
	path := "/aaa/api/public/apps/{appId}/scopes/{scopeId}"
	rest.Declare(api, rest.Operation{
		ID: "get-scope", Method: http.MethodGet, Path: path,
		Summary: "Read a scope",
		Description: "With a key of that scope only: a key of another scope of the app is refused, and to a key of another app the scope does " +
			"not exist.",
		Tags: []string{tagKeys}, Requirement: access.KeyOnly(access.CanManageKeys), Resolve: rest.ResolveAll(rest.ProjectFrom("appId"),
			k.scopeOfPath),
	}, k.getScope)
	rest.Declare(api, rest.Operation{
		ID: "update-scope", Method: http.MethodPut, Path: path,
		Summary: "Change permissions of a scope",
		Description: "Sets the permissions that are listed and leaves the others; takes effect on all keys of the scope at once, on the " +
			"calling one too. " +
			"A key can take permissions away from its scope, and give back those that the Scope manifest says; to give others (403) is done " +
			"with the manifest. " +
			"If a name is unknown or a value is neither YES nor NO, nothing is changed.",
		Tags: []string{tagKeys}, Requirement: access.KeyOnly(access.CanManageKeys), Resolve: rest.ResolveAll(rest.ProjectFrom("appId"),
			k.scopeOfPath,
			k.widensNothing),
		Refusals: []fault.Code{fault.Conflict, fault.NotExecuted, fault.OutcomeUnknown},
	}, k.updateScope)
}

type getScopeIn struct {
	AppID   string `path:"appId" doc:"The app: a project's id or alias." example:"acme-bot"`
	ScopeID string `path:"scopeId" doc:"The scope that the calling key belongs to." example:"as-acme-main"`
}

type updateScopeIn struct {
	AppID   string `path:"appId" doc:"The app: a project's id or alias." example:"acme-bot"`
	ScopeID string `path:"scopeId" doc:"The scope that the calling key belongs to." example:"as-acme-main"`
	Body    struct {
		Permissions map[string]string `json:"permissions" required:"true" doc:"Permission name to YES or NO; names that are not listed keep their value." example:"{\"RUN_API\":\"YES\",\"AGENTS_EDIT\":\"NO\"}"`
	}
}

type scopeOut struct {
	Body struct {
		Success bool         `json:"success" required:"true" example:"true"`
		Scope   keyScope     `json:"scope" required:"true"`
		Meta    responseMeta `json:"meta" required:"true"`
	}
}

// keyScope is a scope as get-scope shows it.
type keyScope struct {
	ScopeID     string                          `json:"scope_id" required:"true" example:"as-acme-main"`
	ScopeName   string                          `json:"scope_name" required:"true" example:"main"`
	Description string                          `json:"description" required:"true" example:"Everything that an API key can be allowed to do"`
	CreatedAt   string                          `json:"created_at" required:"true" format:"date-time" example:"2025-03-01T12:00:00.000Z"`
	Permissions map[access.KeyPermission]string `json:"permissions" required:"true" doc:"Every permission name to YES or NO." example:"{\"RUN_API\":\"YES\",\"AGENTS_EDIT\":\"NO\"}"`
}

// responseMeta tells which request was answered, and when.
type responseMeta struct {
	RequestID string `json:"requestId" required:"true" doc:"As in X-Request-Id." example:"tr-0196b6f2-61d8-7b1f-8c3a-5e0d9f7a2b44"`
	Timestamp string `json:"timestamp" required:"true" format:"date-time" example:"2025-03-01T12:00:00.000Z"`
}

func metaOf(ctx context.Context, now time.Time) responseMeta {
	return responseMeta{RequestID: rest.CorrelationID(ctx), Timestamp: rest.ISOTime(&now)}
}

func (k Keys) getScope(ctx context.Context, _ *getScopeIn) (*scopeOut, error) {
	return k.scopeAnswer(ctx, projectedScope(scopeOf(ctx))), nil
}

func (k Keys) updateScope(ctx context.Context, in *updateScopeIn) (*scopeOut, error) {
	cmd := access.ChangePermissions{Permissions: in.Body.Permissions, At: k.Now()}
	res, err := k.onScope(ctx, scopeOf(ctx).ID, cmd.Decide)
	if err != nil {
		return nil, err
	}
	return k.scopeAnswer(ctx, foldedScope(res.State)), nil
}

// onScope runs a command of the caller on a scope, as far as the caller's own rights
// reach.
func (k Keys) onScope(ctx context.Context, scopeID string,
	decide func(access.ScopeState) ([]event.Payload, error)) (eventstore.Result[access.ScopeState], error) {
	p := rest.PrincipalOf(ctx)
	return rest.Execute(ctx, k.Commands, access.Scopes, access.ScopeStream(p.TenantID, scopeID), p.Rights().OnScopes(decide))
}

func (k Keys) scopeAnswer(ctx context.Context, s keyScope) *scopeOut {
	out := &scopeOut{}
	out.Body.Success, out.Body.Scope, out.Body.Meta = true, s, metaOf(ctx, k.Now())
	return out
}

func foldedScope(s access.ScopeState) keyScope {
	return keyScope{ScopeID: s.ID, ScopeName: s.Name, Description: s.Description, CreatedAt: rest.ISOTime(&s.CreatedAt),
		Permissions: s.Permissions}
}

func projectedScope(s accessmodels.ScopeInfo) keyScope {
	return keyScope{ScopeID: s.ID, ScopeName: s.Name, Description: s.Description, CreatedAt: rest.ISOTime(&s.CreatedAt),
		Permissions: s.Permissions}
}
