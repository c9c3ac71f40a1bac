package campaigns

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/domain/runs"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
)

// OpeningTimer is the name of the timer of a tenant's lines: a run opens then, or its
// next pass is due.
const OpeningTimer = "opening"

// RunsModel stores which runs were started (from the streams of campaigns), what
// they are made of (from their own) and how far they are (from the pacing streams), each
// in tables of its own.
var RunsModel = newRunsModel()

func newRunsModel() *projections.Model {
	m := projections.NewModel("campaign runs", 2, []string{"campaign_starts", "campaign_runs", "campaign_contacts", "campaign_progress",
		"campaign_outcomes", "timers"}, campaigns.Campaigns.Category, runs.Runs.Category, pacing.Pacing.Category)
	storeStarts(m)
	storeRuns(m)
	storeProgress(m)
	storeOutcomes(m)
	projections.On(m, func(b *projections.Batch, at projections.At, e pacing.OpeningAwaited) {
		b.SetTimer(at, OpeningTimer, e.Until)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e pacing.OpeningReached) { b.ClearTimer(at, OpeningTimer) })
	return m
}

// storeStarts makes a run visible with the reply to its start; the rest of it follows.
func storeStarts(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e campaigns.Started) {
		b.Put("campaign_starts", projections.Row{"tenant": e.TenantID, "instance_id": e.RunID}, projections.Row{"project_id": e.ProjectID,
			"campaign_id": e.CampaignID, "kind": string(e.Kind), "hours": e.Hours,
			"started_at": e.At})
	})
	projections.Ignore[campaigns.Defined](m)
	projections.Ignore[campaigns.Updated](m)
	projections.Ignore[campaigns.RunPaused](m)
	projections.Ignore[campaigns.RunResumed](m)
	projections.Ignore[campaigns.RunCompleted](m)
	projections.Ignore[campaigns.Removed](m)
}

func storeRuns(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e runs.Opened) {
		b.Put("campaign_runs", run(at, e.RunID), projections.Row{"project_id": e.ProjectID, "campaign_id": e.CampaignID,
			"kind": string(e.Kind), "caller": e.OurNumber, "flow_id": e.FlowID,
			"machine_detect": e.MachineDetect, "message_text": e.MessageText, "hours": e.Hours, "started_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e runs.PassOpened) {
		b.Set("campaign_runs", run(at, runOf(at)), projections.Row{"pass": e.Pass})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e runs.ContactsListed) {
		for i, c := range e.Contacts {
			b.Put("campaign_contacts", contact(at, runOf(at), e.From+i), projections.Row{"pass": e.Pass, "phone": c.PhoneNumber, "data": c,
				"key_id": at.Key(i)})
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e runs.Erased) {
		for _, key := range e.Keys {
			b.Set("campaign_contacts", projections.Row{"tenant": at.Tenant, "instance_id": runOf(at), "key_id": key},
				projections.Row{"phone": projections.Erased, "data": contactlists.Contact{PhoneNumber: projections.Erased}})
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e runs.PassListed) {
		b.Set("campaign_runs", run(at, runOf(at)), projections.Row{"contacts": e.Contacts})
	})
}

// RunStatus is how far a run is.
type RunStatus string

// The statuses of runs.
const (
	RunListing  RunStatus = "listing" // its contacts are being listed
	RunRunning  RunStatus = "running" // it takes contacts, within its calling hours
	RunHeld     RunStatus = "held"    // its campaign is paused
	RunWaiting  RunStatus = "waiting" // for its next pass
	RunStopped  RunStatus = "stopped" // it reaches nobody any more: its campaign was changed or removed
	RunFinished RunStatus = "finished"
)

// storeProgress keeps the row of a run. Held and stopped stand beside the rest, because a
// pass may end while its run is held.
func storeProgress(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e pacing.RunEntered) {
		b.Put("campaign_progress", run(at, e.RunID), projections.Row{"project_id": e.ProjectID, "campaign_id": e.CampaignID,
			"status": string(RunRunning), "entered_at": e.At})
	})
	status := func(b *projections.Batch, at projections.At, runID string, cols projections.Row) {
		b.Set("campaign_progress", run(at, runID), cols)
	}
	projections.On(m, func(b *projections.Batch, at projections.At, e pacing.RunHeld) {
		status(b, at, e.RunID, projections.Row{"held": true})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e pacing.RunReleased) {
		status(b, at, e.RunID, projections.Row{"held": false})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e pacing.RunStopped) {
		status(b, at, e.RunID, projections.Row{"stopped": true})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e pacing.PassFinished) {
		status(b, at, e.RunID, projections.Row{"status": string(RunWaiting), "next_pass_at": e.NextPass})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e pacing.PassDue) {
		status(b, at, e.RunID, projections.Row{"status": string(RunListing), "next_pass_at": nil})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e pacing.PassBegun) {
		status(b, at, e.RunID, projections.Row{"status": string(RunRunning), "pass": e.Pass})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e pacing.RunFinished) {
		status(b, at, e.RunID, projections.Row{"status": string(RunFinished), "next_pass_at": nil, "ended_at": e.At})
	})
}

func storeOutcomes(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e pacing.ContactsTaken) {
		for _, i := range e.Contacts {
			b.Put("campaign_outcomes", contact(at, e.RunID, i), projections.Row{"status": "taken", "taken_at": e.At})
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e pacing.ContactsReturned) {
		for _, i := range e.Contacts {
			b.Set("campaign_outcomes", contact(at, e.RunID, i), projections.Row{"status": "returned"})
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e pacing.ContactFinished) {
		b.Set("campaign_outcomes", contact(at, e.RunID, e.Contact), projections.Row{"status": string(e.Outcome), "effect_id": e.EffectID,
			"reason": e.Reason, "finished_at": e.At})
		b.Set("campaign_progress", run(at, e.RunID), projections.Row{"calls_completed": e.Tally.CallsCompleted,
			"messages_sent": e.Tally.MessagesSent, "failed": e.Tally.Failed})
	})
}

func run(at projections.At, runID string) projections.Row {
	return projections.Row{"tenant": at.Tenant, "instance_id": runID}
}

// runOf is the run of an event on the run's own stream.
func runOf(at projections.At) string { return runs.IDOf(at.StreamID) }

func contact(at projections.At, runID string, index int) projections.Row {
	return projections.Row{"tenant": at.Tenant, "instance_id": runID, "idx": index}
}

// Runs answers how campaigns run.
type Runs struct {
	db   *pgxpool.Pool
	keys eventstore.Keys
}

// NewRuns reads through the pool, and opens what is personal with the keys; nil: nothing is
// sealed.
func NewRuns(db *pgxpool.Pool, keys eventstore.Keys) *Runs { return &Runs{db, keys} }

// CampaignTotals is what all runs of a campaign have come to so far.
type CampaignTotals struct {
	CallsCompleted int // answered, and over
	MessagesSent   int
	Failed         int // not answered, not sent, or not to be asked for at all
}

// RunTotals sums the runs of campaigns, by campaign id. A campaign that never ran has
// no entry.
func (x *Runs) RunTotals(ctx context.Context, tenant string, campaignIDs []string) (map[string]CampaignTotals, error) {
	type campaignTotals struct {
		CampaignID string
		CampaignTotals
	}
	found, err := projections.All[campaignTotals](ctx, x.db, "summing runs", `SELECT campaign_id, sum(calls_completed) AS calls_completed,
			sum(messages_sent) AS messages_sent, sum(failed) AS failed
		FROM campaign_progress WHERE tenant = $1 AND campaign_id = ANY($2) GROUP BY campaign_id`, tenant, campaignIDs)
	if err != nil {
		return nil, err
	}
	out := map[string]CampaignTotals{}
	for _, t := range found {
		out[t.CampaignID] = t.CampaignTotals
	}
	return out, nil
}

// Run is one run as it stands.
type Run struct {
	RunID, CampaignID, ProjectID string
	Kind                         campaigns.Kind
	Hours                        campaigns.Hours
	Status                       RunStatus
	Pass                         int // from 1; 0 before the first is listed
	Contacts                     int // of all passes so far
	UnderWay                     int // have had their turn, and no outcome yet
	CallsCompleted               int
	MessagesSent                 int
	Failed                       int
	NextPassAt                   *time.Time // of a run that waits
	StartedAt                    time.Time
	EndedAt                      *time.Time
}

// Run finds one run of a campaign. From its start until its own stream is opened it is
// listing, and has no contacts.
func (x *Runs) Run(ctx context.Context, tenant, campaignID, runID string) (r Run, ok bool, err error) {
	return projections.One[Run](ctx, x.db, "reading a run",
		`SELECT s.instance_id AS run_id, s.campaign_id, s.project_id, s.kind, s.hours, s.started_at,
			greatest(coalesce(r.pass, 0), coalesce(p.pass, 0)) AS pass, coalesce(r.contacts, 0) AS contacts,
			CASE WHEN p.status IS NULL THEN 'listing' WHEN p.stopped THEN 'stopped' WHEN p.status = 'finished' THEN 'finished'
				WHEN p.held THEN 'held' ELSE p.status END AS status,
			(SELECT count(*) FROM campaign_outcomes o WHERE o.tenant = s.tenant AND o.instance_id = s.instance_id
				AND o.status = 'taken') AS under_way,
			coalesce(p.calls_completed, 0) AS calls_completed, coalesce(p.messages_sent, 0) AS messages_sent, coalesce(p.failed, 0) AS failed,
			p.next_pass_at, p.ended_at
		FROM campaign_starts s
		LEFT JOIN campaign_runs r ON r.tenant = s.tenant AND r.instance_id = s.instance_id
		LEFT JOIN campaign_progress p ON p.tenant = s.tenant AND p.instance_id = s.instance_id
		WHERE s.tenant = $1 AND s.campaign_id = $2 AND s.instance_id = $3`, tenant, campaignID, runID)
}
