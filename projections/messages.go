package projections

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/messages"
)

// MessageStatus is how far a message has come, as it is listed.
type MessageStatus string

// The statuses.
const (
	MessageQueued   MessageStatus = "queued"
	MessageSending  MessageStatus = "sending"  // a provider is being asked, or its answer is in doubt
	MessageRetrying MessageStatus = "retrying" // it was not taken, and is tried again later
	MessageSent     MessageStatus = "sent"     // a provider has taken it
	MessageFailed   MessageStatus = "failed"
)

// MessageTimer is the name of a message's timer: messages.Expire is due then.
const MessageTimer = "message"

// MessagesModel stores one row per message, and keeps the timer of each.
var MessagesModel = newMessagesModel()

func newMessagesModel() *Model {
	m := NewModel("messages", 1, []string{"messages", "timers"}, messages.Messages.Category)
	On(m, func(b *Batch, at At, e messages.Requested) {
		row := Row{"tenant": e.TenantID, "project_id": e.ProjectID, "sender": e.From, "recipient": e.To, "body": e.Text,
			"status": string(MessageQueued), "requested_at": e.At, "send_by": e.SendBy}
		if c := e.Campaign; c != nil {
			row["campaign_id"], row["campaign_instance_id"], row["contact_index"] = c.CampaignID, c.InstanceID, c.Index
		}
		b.Put("messages", textMessage(at), row)
		keepMessageTimer(b, at, e)
	})
	On(m, func(b *Batch, at At, e messages.AttemptStarted) {
		b.Set("messages", textMessage(at), Row{"status": string(MessageSending), "provider": e.Provider, "attempts": e.Attempt})
		keepMessageTimer(b, at, e)
	})
	On(m, func(b *Batch, at At, e messages.AttemptRefused) {
		b.Set("messages", textMessage(at), Row{"status": string(MessageRetrying), "code": e.Code, "reason": e.Reason})
		keepMessageTimer(b, at, e)
	})
	On(m, func(b *Batch, at At, e messages.AttemptDue) { keepMessageTimer(b, at, e) })
	On(m, func(b *Batch, at At, e messages.Sent) {
		b.Set("messages", textMessage(at), Row{"status": string(MessageSent), "provider_message_id": e.ProviderMessageID, "segments": e.Segments,
			"code": "", "reason": "", "ended_at": e.At})
		keepMessageTimer(b, at, e)
	})
	On(m, func(b *Batch, at At, e messages.Failed) {
		b.Set("messages", textMessage(at), Row{"status": string(MessageFailed), "code": e.Code, "reason": e.Reason, "ended_at": e.At})
		keepMessageTimer(b, at, e)
	})
	return m
}

func textMessage(at At) Row { return Row{"message_id": at.StreamID} }

// keepMessageTimer sets, moves or clears the timer, as the domain says of the event.
func keepMessageTimer(b *Batch, at At, e event.Payload) {
	due, set, ended := messages.Deadline(e)
	switch {
	case set:
		b.SetTimer(at, MessageTimer, due)
	case ended:
		b.ClearTimer(at, MessageTimer)
	}
}

// Messages answers what became of messages.
type Messages struct{ db *pgxpool.Pool }

// NewMessages reads through the pool.
func NewMessages(db *pgxpool.Pool) *Messages { return &Messages{db} }

// Message is one text message.
type Message struct {
	ID, From, To, Text             string
	Status                         MessageStatus
	CampaignID, CampaignInstanceID string // empty: not of a campaign
	ContactIndex                   *int
	Provider, ProviderMessageID    string
	Segments                       *int // nil until it is sent
	Attempts                       int
	Code, Reason                   string
	RequestedAt, SendBy            time.Time
	EndedAt                        *time.Time
}

// MessageQuery selects messages of a project; empty members select all.
type MessageQuery struct {
	Tenant, Project                string
	Status                         MessageStatus
	CampaignID, CampaignInstanceID string
	Limit, Offset                  int
}

const messagesWhere = ` FROM messages WHERE tenant = $1 AND project_id = $2 AND ($3 = '' OR status = $3) AND ($4 = '' OR campaign_id = $4) AND ($5 = '' OR campaign_instance_id = $5)`

// List returns messages, newest first, and how many match in all.
func (x *Messages) List(ctx context.Context, q MessageQuery) ([]Message, int, error) {
	args := []any{q.Tenant, q.Project, string(q.Status), q.CampaignID, q.CampaignInstanceID}
	total := 0
	if err := x.db.QueryRow(ctx, `SELECT count(*)`+messagesWhere, args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("counting messages: %w", err)
	}
	rows, err := x.db.Query(ctx, `SELECT message_id, sender, recipient, body, status, campaign_id, campaign_instance_id, contact_index, provider, provider_message_id, segments,
		attempts, code, reason, requested_at, send_by, ended_at`+messagesWhere+` ORDER BY requested_at DESC, message_id LIMIT $6 OFFSET $7`, append(args, q.Limit, q.Offset)...)
	if err != nil {
		return nil, 0, fmt.Errorf("listing messages: %w", err)
	}
	out, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (m Message, err error) {
		err = r.Scan(&m.ID, &m.From, &m.To, &m.Text, &m.Status, &m.CampaignID, &m.CampaignInstanceID, &m.ContactIndex, &m.Provider, &m.ProviderMessageID, &m.Segments,
			&m.Attempts, &m.Code, &m.Reason, &m.RequestedAt, &m.SendBy, &m.EndedAt)
		return m, err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("listing messages: %w", err)
	}
	return out, total, nil
}
