package privacy

import (
	"context"
	"net/http"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/retention"
	"github.com/parley-platform/parley/handlers/rest"
	models "github.com/parley-platform/parley/projections/privacy"
)

// RetentionAPI is what the operations on retention need.
type RetentionAPI struct {
	rest.Commands
	Rules retentionRules
	Grace time.Duration // before what is set begins to hold; 0: retention.DefaultGrace
}

// retentionRules knows for how long projects keep things.
type retentionRules interface {
	Get(ctx context.Context, tenant, project string) (models.Retention, bool, error)
	List(ctx context.Context, tenant string, limit, offset int) ([]models.Retention, int, error)
}

const (
	retentionPath        = "/api/v1/privacy/retention"
	projectRetentionPath = retentionPath + "/{projectId}"
)

// DeclareRetention adds the operations on for how long projects keep things (extensions).
func DeclareRetention(api *rest.API, x RetentionAPI) {
	tags := []string{"Privacy"}
	rest.Declare(api, rest.Operation{
		ID: "list-retention", Method: http.MethodGet, Path: retentionPath, Extension: true, Tags: tags,
		Summary:     "For how long projects keep what is personal",
		Description: "The projects of the account that ever said so. Others keep everything for ever.",
		Requirement: access.Needs(access.PermPrivacyRetain),
	}, x.list)
	rest.Declare(api, rest.Operation{
		ID: "get-retention", Method: http.MethodGet, Path: projectRetentionPath, Extension: true, Tags: tags,
		Summary:     "For how long a project keeps what is personal",
		Description: "A project that never said so keeps everything for ever: `days` is empty.",
		Requirement: access.Needs(access.PermPrivacyRetain), Resolve: rest.ProjectFrom("projectId"),
	}, x.get)
	rest.Declare(api, rest.Operation{
		ID: "set-retention", Method: http.MethodPut, Path: projectRetentionPath, Extension: true, Tags: tags,
		Summary: "Say for how long a project keeps what is personal",
		Description: "Replaces what was said before. An hour later, and each day from then on, a job like that of erase-person forgets what is " +
			"personal in everything that has been over for longer; until then it can be taken back. Figures stay.",
		Requirement: access.Needs(access.PermPrivacyRetain), Resolve: rest.ProjectFrom("projectId"),
	}, x.set)
}

// keptDays is days by kind, 0 where a kind is kept for ever.
type keptDays struct {
	_             struct{} `additionalProperties:"false"` // a kind with a slip in its name would be kept for ever
	Calls         int      `json:"calls,omitempty" minimum:"1" maximum:"36500" doc:"Calls with their sessions, transfers and notifications, and conversations of channels with the last of their sessions, from their end." example:"90"`
	Conversations int      `json:"conversations,omitempty" minimum:"1" maximum:"36500" doc:"What was said and noted in conversations, from their end, or from the last event of one that nobody ends." example:"90"`
	Recordings    int      `json:"recordings,omitempty" minimum:"1" maximum:"36500" doc:"Voicemails with their transcripts, from when they were recorded." example:"30"`
	Messages      int      `json:"messages,omitempty" minimum:"1" maximum:"36500" doc:"Text messages, from when they were sent or given up." example:"30"`
}

func (d keptDays) rules() retention.Days {
	return retention.Kept(d.Calls, d.Conversations, d.Recordings, d.Messages)
}

func daysOf(d retention.Days) keptDays {
	return keptDays{Calls: d[retention.Calls], Conversations: d[retention.Conversations], Recordings: d[retention.Recordings],
		Messages: d[retention.Messages]}
}

// keptFor is how it is shown.
type keptFor struct {
	ProjectID string   `json:"projectId"`
	Days      keptDays `json:"days" doc:"By kind; a kind that is left out is kept for ever."`
	SetAt     string   `json:"setAt,omitempty" format:"date-time"`
	NextAt    string   `json:"nextAt,omitempty" format:"date-time" doc:"When it is looked next whether something is too old."`
	LookedAt  string   `json:"lookedAt,omitempty" format:"date-time" doc:"When it was looked last."`
	ErasureID string   `json:"erasureId,omitempty" doc:"The job of that: see get-erasure."`
}

type retentionOut struct {
	Body struct {
		Success   bool    `json:"success"`
		Retention keptFor `json:"retention"`
	}
}

type setRetentionIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	Body      struct {
		Days keptDays `json:"days" required:"true" doc:"By kind; a kind that is left out is kept for ever."`
	}
}

func (x RetentionAPI) set(ctx context.Context, in *setRetentionIn) (*retentionOut, error) {
	tenant, project := rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID
	cmd := retention.Set{TenantID: tenant, ProjectID: project, Days: in.Body.Days.rules(), Grace: x.Grace, At: x.Now()}
	if _, err := rest.Execute(ctx, x.Commands, retention.Rules, retention.Stream(tenant, project), cmd.Decide); err != nil {
		return nil, err
	}
	return x.show(ctx, tenant, project)
}

type getRetentionIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
}

func (x RetentionAPI) get(ctx context.Context, _ *getRetentionIn) (*retentionOut, error) {
	return x.show(ctx, rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID)
}

func (x RetentionAPI) show(ctx context.Context, tenant, project string) (*retentionOut, error) {
	found, known, err := x.Rules.Get(ctx, tenant, project)
	if err != nil {
		return nil, err
	}
	out := &retentionOut{}
	out.Body.Success, out.Body.Retention = true, keptFor{ProjectID: project}
	if known {
		out.Body.Retention = shownRetention(found)
	}
	return out, nil
}

type listRetentionIn struct{ rest.Page }

type listRetentionOut struct {
	Body struct {
		Success    bool            `json:"success"`
		Retention  []keptFor       `json:"retention"`
		Pagination rest.Pagination `json:"pagination"`
	}
}

func (x RetentionAPI) list(ctx context.Context, in *listRetentionIn) (*listRetentionOut, error) {
	found, total, err := x.Rules.List(ctx, rest.PrincipalOf(ctx).TenantID, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	out := &listRetentionOut{}
	out.Body.Success, out.Body.Retention, out.Body.Pagination = true, rest.Shown(found, shownRetention), in.Of(total)
	return out, nil
}

func shownRetention(r models.Retention) keptFor {
	shown := keptFor{ProjectID: r.ProjectID, Days: daysOf(r.Days), SetAt: rest.ISOTime(&r.SetAt), NextAt: rest.ISOTime(r.NextAt),
		LookedAt: rest.ISOTime(r.LookedAt)}
	if r.ErasureID != nil {
		shown.ErasureID = *r.ErasureID
	}
	return shown
}
