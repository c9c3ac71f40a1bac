package rest

import (
	"context"
	"net/http"

	"github.com/gorilla/mux"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

// Params are the names that a request gives to resources, outside its body.
type Params struct{ r *http.Request }

// Path is the value of a path parameter, unescaped.
func (p Params) Path(name string) string { return mux.Vars(p.r)[name] }

// Query is the first value of a query parameter.
func (p Params) Query(name string) string { return p.r.URL.Query().Get(name) }

// Header is the value of a header, whatever the case of its name.
func (p Params) Header(name string) string { return p.r.Header.Get(name) }

// ResolveFunc finds what a request is about and checks that the caller may see it:
// the 404 and the 403 that come before faults of fields. What it found goes into
// the context.
type ResolveFunc func(ctx context.Context, p Params) (context.Context, error)

// OrGone finds what a request deletes. With an Idempotency-Key it may be gone by the same request before, which the
// operation finds out: nothing is in the context then.
func OrGone(find ResolveFunc) ResolveFunc {
	return func(ctx context.Context, p Params) (context.Context, error) {
		found, err := find(ctx, p)
		if fault.Is(err, fault.NotFound) && p.Header("Idempotency-Key") != "" {
			return ctx, nil
		}
		return found, err
	}
}

// ResolveAll does one after the other.
func ResolveAll(steps ...ResolveFunc) ResolveFunc {
	return func(ctx context.Context, p Params) (context.Context, error) {
		var err error
		for _, step := range steps {
			if ctx, err = step(ctx, p); err != nil {
				return ctx, err
			}
		}
		return ctx, nil
	}
}

// aboutKey is where the context keeps the one thing of a type that the request is about.
type aboutKey[T any] struct{}

// About notes what the request is about, as its path names it: an agent, a connection. It is one of each type at most.
func About[T any](ctx context.Context, found T) context.Context {
	return context.WithValue(ctx, aboutKey[T]{}, found)
}

// AboutOne is About for what get finds by an id in the project of the request.
func AboutOne[T any](ctx context.Context, id string, get func(ctx context.Context, tenant, project, id string) (T, bool, error),
	unknown func() error) (context.Context, error) {
	if !access.ValidID(id) {
		return ctx, unknown()
	}
	project := ProjectOf(ctx)
	found, ok, err := get(ctx, project.TenantID, project.ID, id)
	if err == nil && !ok {
		err = unknown()
	}
	return About(ctx, found), err
}

// Found is what About noted; empty if it noted nothing of the type.
func Found[T any](ctx context.Context) T {
	found, _ := ctx.Value(aboutKey[T]{}).(T)
	return found
}

// AccountHeader is embedded by the inputs of operations that want the header accountId
// (docs/api-rules.md "accountId and iid"); together with OwnAccount.
type AccountHeader struct {
	AccountID string `header:"accountId" required:"true" doc:"The account that the credential belongs to."`
}

// ProjectHeader is embedded by the inputs of operations that want the header iid
// (docs/api-rules.md "accountId and iid"); together with ProjectFromHeader.
type ProjectHeader struct {
	IID string `header:"iid" required:"true" doc:"The application: a project's id or alias."`
}

// OwnAccount refuses a request about another account than the credential's, in the
// header accountId or in any of the named path or query parameters. To the caller
// the other account does not exist. A missing header is a fault of a field.
func OwnAccount(params ...string) ResolveFunc {
	return func(ctx context.Context, p Params) (context.Context, error) {
		own := PrincipalOf(ctx).TenantID
		named := p.r.Header.Values("accountId")
		for _, name := range params {
			named = append(named, p.Path(name), p.Query(name))
		}
		for _, id := range named {
			if id != "" && id != own {
				return ctx, fault.New(fault.NotFound, "there is no such account")
			}
		}
		return ctx, nil
	}
}

// Projects knows the projects of all tenants by id and alias. An unknown one is a
// fault with code NOT_FOUND.
type Projects interface {
	Resolve(ctx context.Context, tenantID, idOrAlias string) (ProjectRecord, error)
}

// ProjectRecord is one project: what the API also calls bot, stream, app and instance
// (docs/glossary.md).
type ProjectRecord struct {
	ID       string
	TenantID string
	Name     string
	Slug     string
	Aliases  []string
}

// ProjectOf is the project that the request is about, as a ProjectFrom found it;
// empty if there was none.
func ProjectOf(ctx context.Context) ProjectRecord { return Found[ProjectRecord](ctx) }

// ProjectFrom finds the project that a path parameter names.
func ProjectFrom(pathParam string) ResolveFunc {
	return func(ctx context.Context, p Params) (context.Context, error) {
		exchangeOf(ctx).named = pathParam
		return ResolveProject(ctx, p.Path(pathParam))
	}
}

// ProjectFromHeader finds the project that a header names. A header that names another
// one than the path, or than the same header once more, is of a project that does not
// exist. A missing header is a fault of a field.
func ProjectFromHeader(name string) ResolveFunc {
	return func(ctx context.Context, p Params) (context.Context, error) {
		for _, id := range p.r.Header.Values(name) {
			if id == "" {
				continue
			}
			found, err := ResolveProject(ctx, id)
			if err != nil {
				return ctx, err
			}
			if named := ProjectOf(ctx).ID; named != "" && named != ProjectOf(found).ID {
				return ctx, unknownProject()
			}
			ctx = found
		}
		return ctx, nil
	}
}

// ProjectStands refuses with NOT_FOUND where a project of an account is not there, or not any more: for operations whose own token names
// it, so that nobody is signed in.
func ProjectStands(ctx context.Context, tenant, id string) error {
	_, err := resolved(ctx, tenant, id)
	return err
}

// resolved is a project of an account; another's does not exist.
func resolved(ctx context.Context, tenant, idOrAlias string) (ProjectRecord, error) {
	found, err := exchangeOf(ctx).api.cfg.Projects.Resolve(ctx, tenant, idOrAlias)
	if fault.Is(err, fault.NotFound) || err == nil && found.TenantID != tenant {
		return ProjectRecord{}, unknownProject()
	}
	return found, err
}

func unknownProject() error { return fault.New(fault.NotFound, "there is no such project") }

// ResolveProject finds a project by id or alias for the caller, for operations
// whose body or query names it. Another tenant's project, and to an API key another
// app, does not exist.
func ResolveProject(ctx context.Context, idOrAlias string) (context.Context, error) {
	by := exchangeOf(ctx).principal
	if !access.ValidID(idOrAlias) || by.TenantID == "" {
		return ctx, unknownProject()
	}
	found, err := resolved(ctx, by.TenantID, idOrAlias)
	switch {
	case err != nil:
		return ctx, err
	case by.ProjectID != "" && found.ID != by.ProjectID:
		return ctx, unknownProject()
	}
	return About(ctx, found), nil
}
