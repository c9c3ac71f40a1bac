package campaigns

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/projections"
)

// VerdictsModel stores one row per call of a campaign whose answer was judged: the verdict, and when
// what was heard behind it. It holds nothing of what was said.
var VerdictsModel = newVerdictsModel()

func newVerdictsModel() *projections.Model {
	m := projections.NewModel("campaign_verdicts", 1, []string{"campaign_verdicts"}, calls.Calls.Category)
	storeJudged(m)
	storeCame(m)
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Erased) {
		setVerdict(b, at, projections.Row{"mailbox_at": nil})
	})
	projections.Ignore[calls.Arrived](m) // no campaign's
	projections.Ignore[calls.StatusTold](m)
	projections.Ignore[calls.LineTaken](m)
	projections.Ignore[calls.AttemptStarted](m)
	projections.Ignore[calls.LeaseRenewed](m)
	projections.Ignore[calls.Ringing](m)
	projections.Ignore[calls.Answered](m)
	projections.Ignore[calls.Said](m)
	projections.Ignore[calls.Played](m)
	projections.Ignore[calls.Recorded](m)
	projections.Ignore[calls.RecordingFailed](m)
	projections.Ignore[calls.QualityMeasured](m)
	projections.Ignore[calls.LegEstablished](m)
	projections.Ignore[calls.Held](m)
	projections.Ignore[calls.Resumed](m)
	projections.Ignore[calls.Adopted](m)
	projections.Ignore[calls.PersonCalled](m)
	projections.Ignore[calls.LegTransferred](m)
	projections.Ignore[calls.PersonEstablished](m)
	projections.Ignore[calls.PersonReferred](m)
	projections.Ignore[calls.PersonFreed](m)
	projections.Ignore[calls.MessageWanted](m)
	projections.Ignore[calls.MessageLeft](m)
	projections.Ignore[calls.MessageMissed](m)
	return m
}

func setVerdict(b *projections.Batch, at projections.At, row projections.Row) {
	b.Set("campaign_verdicts", projections.Row{"conversation_id": at.StreamID}, row)
}

// storeJudged is which calls there are, and how their answers were judged.
func storeJudged(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Requested) {
		if e.Campaign == nil || e.MachineDetection == calls.DetectionDisabled {
			return
		}
		b.Put("campaign_verdicts", projections.Row{"conversation_id": e.CallID}, projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID,
			"campaign_id": e.Campaign.CampaignID, "run_id": e.Campaign.RunID, "hears": e.Flow.Talks})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.AmdDetected) {
		switch {
		case e.Result.IsVerdict():
			setVerdict(b, at, projections.Row{"verdict": string(e.Result), "verdict_at": e.At})
		case e.Result == calls.AmdMachineStoppedSpeaking:
			setVerdict(b, at, projections.Row{"fell_silent_at": e.At})
		}
	})
}

// storeCame is what came behind the verdict. A call that nobody answered has none.
func storeCame(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Heard) {
		row := projections.Row{"heard_at": e.At}
		if calls.MailboxHint(e.Text, e.Language) != "" {
			row["mailbox_at"] = e.At
		}
		setVerdict(b, at, row)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.DigitsPressed) {
		setVerdict(b, at, projections.Row{"pressed_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Completed) {
		setVerdict(b, at, projections.Row{"ended_at": e.At, "ended_by": string(e.By)})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e calls.Failed) {
		b.Delete("campaign_verdicts", projections.Row{"conversation_id": at.StreamID})
	})
}

// Verdicts answers how verdicts stood up to what was heard behind them.
type Verdicts struct{ db *pgxpool.Pool }

// NewVerdicts reads through the pool.
func NewVerdicts(db *pgxpool.Pool) *Verdicts { return &Verdicts{db} }

// Judged is how many calls of a campaign had a verdict, and what came behind it. Each call is counted
// under one of what came: the first that is true of it.
type Judged struct {
	Verdict    string
	Calls      int
	UnderWay   int // nobody knows yet
	Mailbox    int // something was said that only a mailbox says
	Pressed    int // keys were pressed
	Spoke      int // something was said; by a machine: behind the end of its greeting
	HungUpOn   int // we ended the call
	LeftAtOnce int // the other side ended it within three seconds
	Silent     int // nothing was heard
	Unheard    int // no agent listened
}

// Of gives the verdicts of a campaign, in their alphabetical order; of one run when that is named.
func (x *Verdicts) Of(ctx context.Context, tenant, project, campaignID, runID string) ([]Judged, error) {
	return projections.All[Judged](ctx, x.db, "reading the verdicts of a campaign", `WITH judged AS (
		SELECT verdict, CASE
			WHEN mailbox_at > verdict_at THEN 'mailbox'
			WHEN pressed_at > verdict_at THEN 'pressed'
			WHEN heard_at > coalesce(fell_silent_at, CASE WHEN verdict = 'amd_machine_detected' THEN 'infinity' ELSE verdict_at END) THEN 'spoke'
			WHEN ended_at IS NULL THEN 'under way'
			WHEN ended_by = 'caller' AND ended_at < verdict_at + interval '3 seconds' THEN 'left'
			WHEN verdict = 'amd_machine_detected' AND fell_silent_at IS NULL AND ended_by <> 'caller' THEN 'hung up on'
			WHEN NOT hears THEN 'unheard'
			ELSE 'silent' END AS came
		FROM campaign_verdicts WHERE tenant = $1 AND project_id = $2 AND campaign_id = $3 AND ($4 = '' OR run_id = $4) AND verdict <> '')
		SELECT verdict, count(*) AS calls, count(*) FILTER (WHERE came = 'under way') AS under_way,
			count(*) FILTER (WHERE came = 'mailbox') AS mailbox, count(*) FILTER (WHERE came = 'pressed') AS pressed,
			count(*) FILTER (WHERE came = 'spoke') AS spoke, count(*) FILTER (WHERE came = 'hung up on') AS hung_up_on,
			count(*) FILTER (WHERE came = 'left') AS left_at_once, count(*) FILTER (WHERE came = 'silent') AS silent,
			count(*) FILTER (WHERE came = 'unheard') AS unheard
		FROM judged GROUP BY verdict ORDER BY verdict`, tenant, project, campaignID, runID)
}
