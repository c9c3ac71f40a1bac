package campaigns

import (
	"context"
	"net/http"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/campaigns"
)

// VerdictsAPI is what the operation on verdicts needs.
type VerdictsAPI struct {
	Campaigns campaignsKnown
	Verdicts  campaignVerdicts
}

// campaignVerdicts knows how the verdicts of campaigns stood up; an empty run is all of them.
type campaignVerdicts interface {
	Of(ctx context.Context, tenant, project, campaignID, runID string) ([]campaigns.Judged, error)
}

type campaignVerdictsIn struct {
	IID        string `path:"IID" doc:"The application: a project's id or alias." example:"acme-bot"`
	CampaignID string `path:"campaignId" doc:"Id of the campaign." example:"cd-acme-renewals"`
	RunID      string `query:"campaignInstanceId" maxLength:"256" doc:"Only the calls of this run; without it those of all runs."`
	rest.AccountHeader
	rest.ProjectHeader
}

type campaignVerdict struct {
	Verdict     string              `json:"verdict" required:"true" enum:"amd_human_detected,amd_machine_detected,amd_no_speech_detected,amd_decision_timeout"`
	Calls       int                 `json:"calls" required:"true" doc:"With this verdict."`
	Contradicts int                 `json:"contradicted" required:"true" doc:"What was heard next speaks against it: a person who says what only mailboxes say, a machine that speaks again behind its greeting or presses keys, somebody who spoke after all."`
	Next        campaignVerdictNext `json:"next" required:"true"`
}

type campaignVerdictNext struct {
	Mailbox    int `json:"mailbox" required:"true" doc:"Something was said that only a mailbox says."`
	Pressed    int `json:"pressed" required:"true" doc:"Keys were pressed."`
	Spoke      int `json:"spoke" required:"true" doc:"Something else was said; by a machine: behind the end of its greeting."`
	HungUpOn   int `json:"hungUpOn" required:"true" doc:"The call was ended because of the verdict, or before anything was heard."`
	LeftAtOnce int `json:"leftAtOnce" required:"true" doc:"The other side ended the call within three seconds."`
	Silent     int `json:"silent" required:"true" doc:"Nothing was heard until the end."`
	Unheard    int `json:"unheard" required:"true" doc:"No agent listened, so nobody knows."`
	UnderWay   int `json:"underWay" required:"true" doc:"The call is not over, and nothing was heard yet."`
}

type campaignVerdictsData struct {
	CampaignID string            `json:"campaignId" required:"true"`
	Verdicts   []campaignVerdict `json:"verdicts" required:"true" nullable:"false"`
}

type campaignVerdictsOut struct {
	Body struct {
		Status  string               `json:"status" required:"true" enum:"success"`
		Message string               `json:"message" required:"true" example:"Verdicts Found"`
		Data    campaignVerdictsData `json:"data" required:"true"`
	}
}

// DeclareVerdicts adds the report on who was taken for what (extension).
func DeclareVerdicts(api *rest.API, c VerdictsAPI) {
	rest.Declare(api, rest.Operation{
		ID: "get-campaign-verdicts", Method: http.MethodGet, Path: campaignPath + "/verdicts", Extension: true,
		Summary: "Read who was taken for a machine, and what was heard next",
		Description: "For each verdict of answering machine detection: on how many calls of the campaign it was given, and what was heard " +
			"behind it, as far as an agent listened. A call counts under the first of next that is true of it. " +
			"What speaks against the verdict is summed up as contradicted: it is how wrong verdicts are found in the field.",
		Tags: []string{"Campaigns"}, Requirement: access.TokenOnly(access.ScopeCampaigns),
		Resolve: rest.ResolveAll(campaignProject("IID"), API{Campaigns: c.Campaigns}.campaignOfPath),
	}, c.get)
}

func (c VerdictsAPI) get(ctx context.Context, in *campaignVerdictsIn) (*campaignVerdictsOut, error) {
	judged, err := c.Verdicts.Of(ctx, rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID, in.CampaignID, in.RunID)
	if err != nil {
		return nil, err
	}
	out := &campaignVerdictsOut{}
	out.Body.Status, out.Body.Message = "success", "Verdicts Found"
	out.Body.Data.CampaignID, out.Body.Data.Verdicts = in.CampaignID, []campaignVerdict{}
	for _, j := range judged {
		out.Body.Data.Verdicts = append(out.Body.Data.Verdicts, campaignVerdict{Verdict: j.Verdict, Calls: j.Calls, Contradicts: contradicted(j),
			Next: campaignVerdictNext{Mailbox: j.Mailbox, Pressed: j.Pressed, Spoke: j.Spoke, HungUpOn: j.HungUpOn, LeftAtOnce: j.LeftAtOnce,
				Silent: j.Silent, Unheard: j.Unheard, UnderWay: j.UnderWay}})
	}
	return out, nil
}

// contradicted is on how many calls what was heard next speaks against the verdict.
func contradicted(j campaigns.Judged) int {
	switch calls.Result(j.Verdict) {
	case calls.AmdHumanDetected:
		return j.Mailbox
	case calls.AmdMachineDetected:
		return j.Spoke + j.Pressed
	case calls.AmdNoSpeechDetected:
		return j.Spoke + j.Pressed + j.Mailbox
	}
	return 0
}
