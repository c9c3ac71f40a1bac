package channels

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/projections"
)

// TextStatus is how far a text has come, as it is listed.
type TextStatus string

// The statuses.
const (
	TextQueued   TextStatus = "queued"
	TextSending  TextStatus = "sending"  // a provider is being asked, or its answer is in doubt
	TextRetrying TextStatus = "retrying" // it was not taken, and is tried again later
	TextSent     TextStatus = "sent"     // a provider has taken it
	TextFailed   TextStatus = "failed"
)

// TextTimer is the name of a text's timer: texts.Expire is due then.
const TextTimer = "message"

// TextsModel stores one row per text, and keeps the timer of each.
var TextsModel = newTextsModel()

func newTextsModel() *projections.Model {
	m := projections.NewModel("messages", 2, []string{"messages", "timers"}, texts.Texts.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, e texts.Requested) {
		row := projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID, "sender": e.From, "recipient": e.To, "body": e.Text,
			"status": string(TextQueued), "requested_at": e.At, "send_by": e.SendBy}
		if c := e.Campaign; c != nil {
			row["campaign_id"], row["campaign_instance_id"], row["contact_index"] = c.CampaignID, c.RunID, c.Index
		}
		b.Put("messages", textKey(at), row)
		keepTextTimer(b, at, e)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e texts.AttemptStarted) {
		b.Set("messages", textKey(at), projections.Row{"status": string(TextSending), "provider": e.Provider, "attempts": e.Attempt})
		keepTextTimer(b, at, e)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e texts.AttemptRefused) {
		b.Set("messages", textKey(at), projections.Row{"status": string(TextRetrying), "code": e.Code, "reason": e.Reason})
		keepTextTimer(b, at, e)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e texts.AttemptDue) { keepTextTimer(b, at, e) })
	projections.On(m, func(b *projections.Batch, at projections.At, e texts.Sent) {
		b.Set("messages", textKey(at), projections.Row{"status": string(TextSent), "provider_message_id": e.ProviderMessageID,
			"segments": e.Segments,
			"code":     "", "reason": "", "ended_at": e.At})
		keepTextTimer(b, at, e)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e texts.Failed) {
		b.Set("messages", textKey(at), projections.Row{"status": string(TextFailed), "code": e.Code, "reason": e.Reason, "ended_at": e.At})
		keepTextTimer(b, at, e)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e texts.Erased) {
		b.Set("messages", textKey(at), projections.Row{"recipient": projections.Erased, "body": projections.Erased, "reason": "",
			"erased": true})
	})
	return m
}

func textKey(at projections.At) projections.Row { return projections.Row{"message_id": at.StreamID} }

// keepTextTimer sets, moves or clears the timer, as the domain says of the event.
func keepTextTimer(b *projections.Batch, at projections.At, e event.Payload) {
	due, set, ended := texts.Deadline(e)
	switch {
	case set:
		b.SetTimer(at, TextTimer, due)
	case ended:
		b.ClearTimer(at, TextTimer)
	}
}

// Texts answers what became of texts.
type Texts struct{ db *pgxpool.Pool }

// NewTexts reads through the pool.
func NewTexts(db *pgxpool.Pool) *Texts { return &Texts{db} }

// Text is one text message.
type Text struct {
	ID, From, To, Text          string
	Status                      TextStatus
	CampaignID, RunID           string // empty: not of a campaign
	ContactIndex                *int
	Provider, ProviderMessageID string
	Segments                    *int // nil until it is sent
	Attempts                    int
	Code, Reason                string
	RequestedAt, SendBy         time.Time
	EndedAt                     *time.Time
}

// TextQuery selects texts of a project; empty members select all.
type TextQuery struct {
	Tenant, Project   string
	Status            TextStatus
	CampaignID, RunID string
	Limit, Offset     int
}

const textsWhere = ` FROM messages WHERE tenant = $1 AND project_id = $2 AND ($3 = '' OR status = $3)
	AND ($4 = '' OR campaign_id = $4) AND ($5 = '' OR campaign_instance_id = $5)`

// List returns texts, newest first, and how many match in all.
func (x *Texts) List(ctx context.Context, q TextQuery) ([]Text, int, error) {
	if err := x.campaignOf(ctx, &q); err != nil {
		return nil, 0, err
	}
	return projections.Page[Text](ctx, x.db, "listing messages", projections.PageQuery{Count: `SELECT count(*)` + textsWhere,
		Rows: `SELECT message_id AS id, sender AS "from", recipient AS "to", body AS text, status, campaign_id, campaign_instance_id AS run_id,
			contact_index, provider, provider_message_id, segments, attempts, code, reason, requested_at, send_by, ended_at` + textsWhere + `
			ORDER BY requested_at DESC, message_id LIMIT $6 OFFSET $7`,
		Args:  []any{q.Tenant, q.Project, string(q.Status), q.CampaignID, q.RunID},
		Limit: q.Limit, Offset: q.Offset})
}

// campaignOf names the campaign of the run that is asked for: texts are found by campaign.
func (x *Texts) campaignOf(ctx context.Context, q *TextQuery) error {
	if q.RunID == "" || q.CampaignID != "" {
		return nil
	}
	run, _, err := projections.One[struct{ CampaignID string }](ctx, x.db, "reading the campaign of a run",
		`SELECT campaign_id FROM campaign_starts WHERE tenant = $1 AND instance_id = $2`, q.Tenant, q.RunID)
	q.CampaignID = run.CampaignID
	return err
}
