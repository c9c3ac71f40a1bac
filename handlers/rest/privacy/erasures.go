package privacy

import (
	"context"
	"net/http"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/privacy"
	"github.com/parley-platform/parley/handlers/rest"
	models "github.com/parley-platform/parley/projections/privacy"
)

// API is what the operations on erasures need.
type API struct {
	rest.Commands
	Jobs erasureJobs
}

// erasureJobs knows how far jobs are.
type erasureJobs interface {
	Get(ctx context.Context, tenant, id string) (models.Erasure, bool, error)
	List(ctx context.Context, tenant string, limit, offset int) ([]models.Erasure, int, error)
}

const erasuresPath = "/api/v1/privacy/erasures"

// Declare adds the operations on erasures (extensions).
func Declare(api *rest.API, x API) {
	tags := []string{"Privacy"}
	rest.Declare(api, rest.Operation{
		ID: "erase-person", Method: http.MethodPost, Path: erasuresPath, Status: http.StatusAccepted, Extension: true, Tags: tags,
		Summary: "Erase a person from the account",
		Description: "Takes what the person is known by, and begins a job that finds the person in calls, text messages, voicemails, " +
			"transfers, contact lists and runs of campaigns, with the sessions, conversations and notifications that belong to them, and " +
			"forgets the person there. What runs for the person is ended. get-erasure says how far the job is. It cannot be taken back.",
		Requirement: access.Needs(access.PermPrivacyErase), Async: true, Refusals: []fault.Code{fault.Conflict},
	}, x.request)
	rest.Declare(api, rest.Operation{
		ID: "list-erasures", Method: http.MethodGet, Path: erasuresPath, Extension: true, Tags: tags,
		Summary:     "List the erasures of the account, newest first",
		Description: "Shows how far each job is, and how much it has forgotten when it is done; never whom it is about.",
		Requirement: access.Needs(access.PermPrivacyErase),
	}, x.list)
	rest.Declare(api, rest.Operation{
		ID: "get-erasure", Method: http.MethodGet, Path: erasuresPath + "/{erasureId}", Extension: true, Tags: tags,
		Summary:     "How far an erasure is, and where the person was forgotten",
		Description: "`done` once nothing of the person is found any more, twice, with a pause in between.",
		Requirement: access.Needs(access.PermPrivacyErase),
	}, x.get)
}

type identity struct {
	Kind  string `json:"kind" required:"true" enum:"telephone,email,sip,external" doc:"telephone: with the country code. external: the account's own id of the person, such as userId of a transfer."`
	Value string `json:"value" required:"true" minLength:"1" maxLength:"256" doc:"In any usual spelling." example:"+15551234567"`
}

func identitiesOf(given []identity) (all []privacy.Identity) {
	for _, i := range given {
		all = append(all, privacy.Identity{Kind: privacy.Kind(i.Kind), Value: i.Value})
	}
	return all
}

type erasePersonIn struct {
	Body struct {
		Identities []identity `json:"identities" required:"true" minItems:"1" maxItems:"20" doc:"What the person is known by: whatever stands for one of them is erased."`
	}
}

// erasure is how a job is shown.
type erasure struct {
	ErasureID   string         `json:"erasureId" example:"er-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
	ProjectID   *string        `json:"projectId,omitempty" doc:"Of a job that forgets what the project keeps no longer (set-retention). Absent: it is about a person."`
	Status      string         `json:"status" enum:"queued,running,done"`
	Forgotten   map[string]int `json:"forgotten" doc:"On done: in how many streams the person was forgotten, by category."`
	RequestedAt string         `json:"requestedAt" format:"date-time"`
	EndedAt     string         `json:"endedAt,omitempty" format:"date-time"`
}

type erasureOut struct {
	Body struct {
		Success bool    `json:"success"`
		Erasure erasure `json:"erasure"`
	}
}

func (x API) request(ctx context.Context, in *erasePersonIn) (*erasureOut, error) {
	cmd := erasures.Request{ErasureID: erasures.IDPrefix + x.NewID(ctx, "erasure").String(), TenantID: rest.PrincipalOf(ctx).TenantID,
		Identities: identitiesOf(in.Body.Identities), At: x.Now()}
	res, err := rest.Create(ctx, x.Commands, erasures.Jobs, erasures.Jobs.Stream(cmd.ErasureID), cmd.Decide)
	if err != nil {
		return nil, err
	}
	accepted, err := rest.Payload[erasures.Requested](res)
	if err != nil {
		return nil, err
	}
	if res.Pending {
		rest.AcceptedAt(ctx, "api", "v1", "privacy", "erasures", accepted.ErasureID)
	}
	out := &erasureOut{}
	out.Body.Success, out.Body.Erasure = true, erasure{ErasureID: accepted.ErasureID, Status: string(erasures.Queued),
		Forgotten: map[string]int{}, RequestedAt: rest.ISOTime(&accepted.At)}
	return out, nil
}

type listErasuresIn struct{ rest.Page }

type listErasuresOut struct {
	Body struct {
		Success    bool            `json:"success"`
		Erasures   []erasure       `json:"erasures"`
		Pagination rest.Pagination `json:"pagination"`
	}
}

func (x API) list(ctx context.Context, in *listErasuresIn) (*listErasuresOut, error) {
	found, total, err := x.Jobs.List(ctx, rest.PrincipalOf(ctx).TenantID, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	out := &listErasuresOut{}
	out.Body.Success, out.Body.Erasures, out.Body.Pagination = true, rest.Shown(found, shown), in.Of(total)
	return out, nil
}

type getErasureIn struct {
	ErasureID string `path:"erasureId" maxLength:"64" doc:"erasureId of erase-person's answer."`
}

func (x API) get(ctx context.Context, in *getErasureIn) (*erasureOut, error) {
	found, ok, err := x.Jobs.Get(ctx, rest.PrincipalOf(ctx).TenantID, in.ErasureID)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, fault.New(fault.NotFound, "there is no such erasure")
	}
	out := &erasureOut{}
	out.Body.Success, out.Body.Erasure = true, shown(found)
	return out, nil
}

func shown(e models.Erasure) erasure {
	return erasure{ErasureID: e.ID, ProjectID: e.ProjectID, Status: string(e.Status), Forgotten: e.Forgotten,
		RequestedAt: rest.ISOTime(&e.RequestedAt), EndedAt: rest.ISOTime(e.EndedAt)}
}
