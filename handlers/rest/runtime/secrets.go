package runtime

import (
	"context"
	"net/http"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/secrets"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/runtime"
)

// SecretsAPI is what the operations on the secrets of tools need.
type SecretsAPI struct {
	rest.Commands
	Secrets secretReader
	Seal    func(tenant, project, secretID, value string) (string, error)
}

// secretReader knows which secrets tools have.
type secretReader interface {
	Get(ctx context.Context, tenant, id string) (runtime.Secret, bool, error)
	List(ctx context.Context, tenant, project, tool, environment string, limit, offset int) ([]runtime.Secret, int, error)
	// ActedBefore is whether a request took effect before.
	ActedBefore(ctx context.Context, tenant, requestID string) (bool, error)
}

const (
	secretsPath = "/api/tool-secrets"
	secretPath  = secretsPath + "/{id}"
)

// DeclareSecrets adds the operations on the secrets of tools.
func DeclareSecrets(api *rest.API, x SecretsAPI) {
	tags, writes := []string{"Tool secrets"}, []fault.Code{fault.NotExecuted, fault.OutcomeUnknown}
	write := access.Needs(access.PermCredentialWrite)
	rest.Declare(api, rest.Operation{
		ID: "create-tool-secret", Method: http.MethodPost, Path: secretsPath, Status: http.StatusCreated, Tags: tags,
		Summary: "Give a tool a secret",
		Description: "The value is sealed before it is stored, and never shown. A tool has one secret of a key in an environment: for another " +
			"value see change-tool-secret.",
		Requirement: write, Refusals: append(writes, fault.NotFound, fault.Conflict, fault.Unavailable),
	}, x.create)
	rest.Declare(api, rest.Operation{
		ID: "list-tool-secrets", Method: http.MethodGet, Path: secretsPath, Tags: tags, Summary: "List the secrets of a project's tools",
		Description: "By tool, key and environment, without their values. A page past the last one is empty.",
		Requirement: access.Needs(access.PermCredentialRead), Resolve: projectOfQuery, Refusals: []fault.Code{fault.NotFound},
	}, x.list)
	rest.Declare(api, rest.Operation{
		ID: "change-tool-secret", Method: http.MethodPut, Path: secretPath, Extension: true, Tags: tags,
		Summary:     "Give a tool's secret another value",
		Description: "The next call of the tool has it. Without `expiresAt` it does not expire, whatever was said before.",
		Requirement: write, Resolve: x.secretOfPath, Refusals: append(writes, fault.Unavailable),
	}, x.change)
	rest.Declare(api, rest.Operation{
		ID: "delete-tool-secret", Method: http.MethodDelete, Path: secretPath, Extension: true, Tags: tags,
		Summary:     "Take a secret from a tool",
		Description: "Its name is free again; calls of the tool that need it fail.",
		Requirement: write, Resolve: rest.OrGone(x.secretOfPath), Refusals: writes,
	}, x.delete)
}

// toolSecret is a secret as it is shown: all but its value.
type toolSecret struct {
	ID          string  `json:"id" example:"ts-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
	ToolName    string  `json:"toolName" example:"find_customer"`
	SecretKey   string  `json:"secretKey" example:"CRM_TOKEN"`
	Environment string  `json:"environment" enum:"dev,staging,production"`
	Version     int     `json:"version" doc:"Raised with each value."`
	ExpiresAt   *string `json:"expiresAt" nullable:"true" format:"date-time" doc:"null: never."`
	CreatedAt   string  `json:"createdAt" format:"date-time"`
}

func shownSecret(s runtime.Secret) toolSecret {
	out := toolSecret{ID: s.SecretID, ToolName: s.ToolName, SecretKey: s.SecretKey, Environment: s.Environment, Version: s.Version,
		CreatedAt: rest.ISOTime(&s.CreatedAt)}
	if s.ExpiresAt != nil {
		at := rest.ISOTime(s.ExpiresAt)
		out.ExpiresAt = &at
	}
	return out
}

type secretOut struct {
	Body struct {
		Success bool       `json:"success"`
		Secret  toolSecret `json:"secret"`
	}
}

// SecretValue is embedded by what gives a secret a value.
type SecretValue struct {
	Value     string     `json:"value" required:"true" minLength:"1" maxLength:"16384" doc:"Sealed before it is stored; never shown."`
	ExpiresAt *time.Time `json:"expiresAt,omitempty" nullable:"true" doc:"From then on calls that need it fail. Left out or null: never."`
}

type createSecretIn struct {
	Body struct {
		ProjectID   string `json:"projectId" required:"true" minLength:"1" maxLength:"128" doc:"A project's id or alias." example:"acme-bot"`
		ToolName    string `json:"toolName" required:"true" minLength:"1" maxLength:"256" doc:"The tool, as agents name it." example:"find_customer"`
		SecretKey   string `json:"secretKey" required:"true" minLength:"1" maxLength:"256" doc:"What the tool's definition calls it." example:"CRM_TOKEN"`
		Environment string `json:"environment,omitempty" enum:"dev,staging,production" default:"dev" doc:"Deployments of this environment use it."`
		SecretValue
	}
}

func (x SecretsAPI) create(ctx context.Context, in *createSecretIn) (*secretOut, error) {
	ctx, err := rest.ResolveProject(ctx, in.Body.ProjectID)
	if err != nil {
		return nil, err
	}
	project := rest.ProjectOf(ctx)
	name, problems := secrets.Name{TenantID: project.TenantID, ProjectID: project.ID, ToolName: in.Body.ToolName, SecretKey: in.Body.SecretKey,
		Environment: in.Body.Environment}.Clean()
	if err := problems.Err(); err != nil {
		return nil, err
	}
	cmd := secrets.Create{Name: name, SecretID: secrets.IDPrefix + x.NewID(ctx, "tool-secret").String(), ExpiresAt: in.Body.ExpiresAt,
		At: x.Now()}
	if cmd.Value, err = x.seal(project, cmd.SecretID, in.Body.Value); err != nil {
		return nil, err
	}
	res, err := rest.Execute(ctx, x.Commands, secrets.Secrets, name.Stream(x.MAC), cmd.Decide)
	if err != nil {
		return nil, err
	}
	made, err := rest.Payload[secrets.Created](res)
	if err != nil {
		return nil, err
	}
	return answered(runtime.Secret{SecretID: made.SecretID, ToolName: made.ToolName, SecretKey: made.SecretKey, Environment: made.Environment,
		Version: made.Version, ExpiresAt: made.ExpiresAt, CreatedAt: made.At}), nil
}

func answered(s runtime.Secret) *secretOut {
	out := &secretOut{}
	out.Body.Success, out.Body.Secret = true, shownSecret(s)
	return out
}

// seal refuses where nothing can be sealed: the secret would have to be stored in plain.
func (x SecretsAPI) seal(project rest.ProjectRecord, id, value string) (string, error) {
	sealed, err := x.Seal(project.TenantID, project.ID, id, value)
	if err != nil {
		return "", fault.New(fault.Unavailable, "secrets cannot be encrypted at the moment").Because(err)
	}
	return sealed, nil
}

type listSecretsIn struct {
	ProjectID   string `query:"projectId" required:"true" minLength:"1" maxLength:"128" doc:"A project's id or alias."`
	ToolName    string `query:"toolName" maxLength:"256" doc:"Only of this tool."`
	Environment string `query:"environment" enum:"dev,staging,production" doc:"Only of this environment."`
	Page        int    `query:"page" default:"1" minimum:"1" maximum:"1000000" doc:"Which page, from 1."`
	Limit       int    `query:"limit" default:"50" minimum:"1" maximum:"200" doc:"Secrets of a page."`
	Offset      int    `query:"offset" default:"0" minimum:"0" doc:"Secrets to skip, in place of page."`
}

type listSecretsOut struct {
	Body struct {
		Success    bool            `json:"success"`
		Secrets    []toolSecret    `json:"secrets"`
		Pagination rest.Pagination `json:"pagination"`
	}
}

func (x SecretsAPI) list(ctx context.Context, in *listSecretsIn) (*listSecretsOut, error) {
	if in.Offset > 0 && in.Page > 1 {
		return nil, fault.Field("offset", "goes without page")
	}
	page := rest.Page{Limit: in.Limit, Offset: (in.Page-1)*in.Limit + in.Offset}
	project := rest.ProjectOf(ctx)
	tool := access.PlainName(in.ToolName)
	found, total, err := x.Secrets.List(ctx, project.TenantID, project.ID, tool, in.Environment, page.Limit, page.Offset)
	if err != nil {
		return nil, err
	}
	out := &listSecretsOut{}
	out.Body.Success, out.Body.Secrets, out.Body.Pagination = true, rest.Shown(found, shownSecret), page.Of(total)
	return out, nil
}

// secretOfPath finds the secret, and its project; to a key one of another project does not
// exist.
func (x SecretsAPI) secretOfPath(ctx context.Context, p rest.Params) (context.Context, error) {
	id := p.Path("id")
	if !access.ValidID(id) {
		return ctx, secrets.Unknown()
	}
	found, ok, err := x.Secrets.Get(ctx, rest.PrincipalOf(ctx).TenantID, id)
	if err == nil && !ok {
		err = secrets.Unknown()
	}
	if err != nil {
		return ctx, err
	}
	ctx, err = rest.ResolveProject(ctx, found.ProjectID)
	if fault.Is(err, fault.NotFound) {
		err = secrets.Unknown()
	}
	return rest.About(ctx, found), err
}

// secretAt is the secret that the request is about, and where it stands.
func (x SecretsAPI) secretAt(ctx context.Context) (found runtime.Secret, project rest.ProjectRecord, stream string) {
	found = rest.Found[runtime.Secret](ctx)
	project = rest.ProjectOf(ctx)
	return found, project, secrets.Name{TenantID: project.TenantID, ProjectID: project.ID, ToolName: found.ToolName,
		SecretKey: found.SecretKey, Environment: found.Environment}.Stream(x.MAC)
}

type changeSecretIn struct {
	ID   string `path:"id" doc:"A secret's id."`
	Body struct{ SecretValue }
}

func (x SecretsAPI) change(ctx context.Context, in *changeSecretIn) (*secretOut, error) {
	found, project, stream := x.secretAt(ctx)
	cmd := secrets.Change{TenantID: project.TenantID, ProjectID: project.ID, SecretID: found.SecretID, ExpiresAt: in.Body.ExpiresAt,
		At: x.Now()}
	var err error
	if cmd.Value, err = x.seal(project, found.SecretID, in.Body.Value); err != nil {
		return nil, err
	}
	res, err := rest.Execute(ctx, x.Commands, secrets.Secrets, stream, cmd.Decide)
	if err != nil {
		return nil, err
	}
	e, err := rest.Payload[secrets.Changed](res)
	if err != nil {
		return nil, err
	}
	found.Version, found.ExpiresAt = e.Version, e.ExpiresAt
	return answered(found), nil
}

func (x SecretsAPI) delete(ctx context.Context, _ *struct {
	ID string `path:"id" doc:"A secret's id."`
}) (*struct{}, error) {
	found, project, stream := x.secretAt(ctx)
	if found.SecretID == "" {
		return nil, x.deletedBefore(ctx)
	}
	cmd := secrets.Delete{TenantID: project.TenantID, ProjectID: project.ID, SecretID: found.SecretID, At: x.Now()}
	_, err := rest.Execute(ctx, x.Commands, secrets.Secrets, stream, cmd.Decide)
	return nil, err
}

// deletedBefore is whether a secret that is gone was deleted by this request. Its stream has the name of what it was for,
// which nobody knows any more.
func (x SecretsAPI) deletedBefore(ctx context.Context) error {
	key, ok := rest.Idempotency(ctx)
	if !ok {
		return secrets.Unknown()
	}
	did, err := x.Secrets.ActedBefore(ctx, rest.PrincipalOf(ctx).TenantID, x.RequestID(ctx, key))
	switch {
	case err != nil:
		return err
	case !did:
		return secrets.Unknown()
	}
	rest.MarkReplayed(ctx)
	return nil
}
