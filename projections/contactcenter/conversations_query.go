package contactcenter

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/projections"
)

// ConversationReads answers what is known of conversations that people take part in.
type ConversationReads struct{ db *pgxpool.Pool }

// NewConversations reads through the pool.
func NewConversations(db *pgxpool.Pool) *ConversationReads { return &ConversationReads{db} }

// ConversationInfo is one conversation.
type ConversationInfo struct {
	ProjectID, ConversationID string
	SessionID                 string // empty: no session is known
	Origin, Status            string // see conversations.Origin and conversations.Phase
	Experience                string // of the last entry: chat, voice
	OpenedAt                  time.Time
	EnteredAt, EndedAt        *time.Time // the first agent's entry; the end
	EndReason                 string
	Segments                  int
	Summary                   ConversationSummary
	Dispositions              []string
	DispositionRemarks        []string
	AgentNotes                []string
	UserLevelTags             []string
	SessionLevelTags          []conversations.Tag
	MetaInfo                  json.RawMessage    // an object, or nil
	Participants              []ConversationStay // in order of their entries
	AfterCallWork             []conversations.AfterCallWork
}

// ConversationSummary is the newest summary that was asked for; Number is 0 when none was.
type ConversationSummary struct {
	Number          int
	Status          string // see conversations.SummaryStatus
	Wanted          *conversations.SummaryWanted
	Text            string
	Provider, Model string
	Error           string // of the last attempt that failed
	AskedAt         *time.Time
	OutcomeAt       *time.Time
}

// ConversationStay is an agent's presence from an entry to its exit.
type ConversationStay struct {
	Stay, Segment      int
	Identity, Name     string
	EnteredBy          string // na, cold, warm, redial
	EnteredAt          time.Time
	RedialedAt         *time.Time // the last redial that continued the stay
	LeftBy             string     // na, cold, warm; empty while the agent is there
	LeftAt             *time.Time
	Experience         string
	External           bool // isExtAD
	Reason, Language   string
	AgentEmail         string
	QueueID, QueueName string
}

// ConversationMessage is one line of the transcript.
type ConversationMessage struct {
	Number                               int
	Author, AgentID, Query               string
	Source, Language, Experience, Assist string
	At                                   time.Time
}

const selectConversations = `SELECT stream_id, project_id, conversation_id, session_id, origin, status, experience, opened_at, entered_at, ended_at, end_reason, segments,
	summary_number, summary_status, summary_wanted, summary_text, summary_provider, summary_model, summary_error, summary_asked_at, summary_at,
	dispositions, disposition_remarks, agent_notes, user_level_tags, session_level_tags, meta_info FROM conversations `

// Find returns one conversation of a project with all but its messages.
func (x *ConversationReads) Find(ctx context.Context, tenant, project, id string) (ConversationInfo, bool, error) {
	found, err := x.read(ctx, `WHERE tenant = $1 AND stream_id = $2`, tenant, conversations.StreamID(tenant, project, id))
	if err != nil || len(found) == 0 {
		return ConversationInfo{}, false, err
	}
	return found[0], true, nil
}

// Exists reports whether the project has the conversation, be it only a call's own.
func (x *ConversationReads) Exists(ctx context.Context, tenant, project, id string) (ok bool, err error) {
	err = x.db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM conversations WHERE tenant = $1 AND stream_id = $4)
		OR EXISTS (SELECT FROM interactions WHERE tenant = $1 AND project_id = $2 AND conversation_id = $3)`, tenant, project, id, conversations.StreamID(tenant, project, id)).Scan(&ok)
	if err != nil {
		return false, fmt.Errorf("looking for a conversation: %w", err)
	}
	return ok, nil
}

// ConversationOfCall is the conversation of a call of which nothing was noted or told.
func ConversationOfCall(c conversations.Call) ConversationInfo {
	return ConversationInfo{ProjectID: c.ProjectID, ConversationID: c.CallID, SessionID: c.SessionID, Origin: string(conversations.ByCall),
		Status:     string(conversations.Waiting),
		Experience: string(conversations.Voice), OpenedAt: c.At}
}

// Call finds the call whose own conversation it is.
func (x *ConversationReads) Call(ctx context.Context, tenant, project, id string) (c conversations.Call, ok bool, err error) {
	c = conversations.Call{TenantID: tenant, ProjectID: project, CallID: id}
	err = x.db.QueryRow(ctx,
		`SELECT coalesce(session_id, ''), requested_at FROM interactions WHERE tenant = $1 AND project_id = $2 AND conversation_id = $3`,
		tenant, project, id).Scan(&c.SessionID, &c.At)
	return c, err == nil, projections.Found(err, "reading a call")
}

// ByConversationOrSession returns the conversations of a project that have one of the
// ids or belong to one of the sessions: what call details add of agents. Their order
// is that of their opening.
func (x *ConversationReads) ByConversationOrSession(ctx context.Context, tenant, project string, ids []string) ([]ConversationInfo, error) {
	return x.read(ctx,
		`WHERE tenant = $1 AND project_id = $2 AND (conversation_id = ANY($3) OR session_id <> '' AND session_id = ANY($3)) ORDER BY opened_at, conversation_id`,
		tenant, project, ids)
}

// List returns a project's conversations, newest first, and how many there are. An
// empty status lists all.
func (x *ConversationReads) List(ctx context.Context, tenant, project, status string, limit, offset int) ([]ConversationInfo, int, error) {
	const where = `WHERE tenant = $1 AND project_id = $2 AND ($3 = '' OR status = $3)`
	total := 0
	if err := x.db.QueryRow(ctx, `SELECT count(*) FROM conversations `+where, tenant, project, status).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("counting conversations: %w", err)
	}
	found, err := x.read(ctx, where+` ORDER BY opened_at DESC, conversation_id LIMIT $4 OFFSET $5`, tenant, project, status, limit, offset)
	return found, total, err
}

func (x *ConversationReads) read(ctx context.Context, where string, args ...any) ([]ConversationInfo, error) {
	rows, err := x.db.Query(ctx, selectConversations+where, args...)
	if err != nil {
		return nil, fmt.Errorf("reading conversations: %w", err)
	}
	var streams []string
	found, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (ConversationInfo, error) {
		var c ConversationInfo
		var stream string
		s := &c.Summary
		err := r.Scan(&stream, &c.ProjectID, &c.ConversationID, &c.SessionID, &c.Origin, &c.Status, &c.Experience, &c.OpenedAt, &c.EnteredAt,
			&c.EndedAt, &c.EndReason, &c.Segments,
			&s.Number, &s.Status, &s.Wanted, &s.Text, &s.Provider, &s.Model, &s.Error, &s.AskedAt, &s.OutcomeAt,
			&c.Dispositions, &c.DispositionRemarks, &c.AgentNotes, &c.UserLevelTags, &c.SessionLevelTags, &c.MetaInfo)
		streams = append(streams, stream)
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("reading conversations: %w", err)
	}
	at := map[string]*ConversationInfo{}
	for i, stream := range streams {
		at[stream] = &found[i]
	}
	if err := x.stays(ctx, streams, at); err != nil {
		return nil, err
	}
	return found, x.work(ctx, streams, at)
}

func (x *ConversationReads) stays(ctx context.Context, streams []string, at map[string]*ConversationInfo) error {
	rows, err := x.db.Query(ctx, `SELECT stream_id, stay, segment, identity, name, entered_by, entered_at, redialed_at, left_by, left_at, experience, external, reason, language,
		agent_email, queue_id, queue_name FROM conversation_participants WHERE stream_id = ANY($1) ORDER BY stream_id, stay`, streams)
	if err != nil {
		return fmt.Errorf("reading the agents of conversations: %w", err)
	}
	var stream string
	var s ConversationStay
	_, err = pgx.ForEachRow(rows, []any{&stream, &s.Stay, &s.Segment, &s.Identity, &s.Name, &s.EnteredBy, &s.EnteredAt, &s.RedialedAt,
		&s.LeftBy, &s.LeftAt, &s.Experience, &s.External,
		&s.Reason, &s.Language, &s.AgentEmail, &s.QueueID, &s.QueueName}, func() error {
		at[stream].Participants = append(at[stream].Participants, s)
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading the agents of conversations: %w", err)
	}
	return nil
}

func (x *ConversationReads) work(ctx context.Context, streams []string, at map[string]*ConversationInfo) error {
	rows,
		err := x.db.Query(ctx,
		`SELECT stream_id, agent_id, started_at, ended_at, duration_ms FROM conversation_work WHERE stream_id = ANY($1) ORDER BY stream_id, agent_id`, streams)
	if err != nil {
		return fmt.Errorf("reading after-call work: %w", err)
	}
	var stream, agent string
	var started, ended *time.Time
	var ms int64
	_, err = pgx.ForEachRow(rows, []any{&stream, &agent, &started, &ended, &ms}, func() error {
		w := conversations.AfterCallWork{AgentID: agent, DurationMs: ms}
		if started != nil && ended != nil {
			w.StartedAt, w.EndedAt = *started, *ended
		}
		at[stream].AfterCallWork = append(at[stream].AfterCallWork, w)
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading after-call work: %w", err)
	}
	return nil
}

// Messages returns lines of the transcript, oldest first, and how many there are.
func (x *ConversationReads) Messages(ctx context.Context, tenant, project, id string, limit, offset int) ([]ConversationMessage, int,
	error) {
	stream, total := conversations.StreamID(tenant, project, id), 0
	if err := x.db.QueryRow(ctx, `SELECT count(*) FROM conversation_messages WHERE stream_id = $1`, stream).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("counting the messages of a conversation: %w", err)
	}
	out, err := x.lines(ctx, `WHERE stream_id = $1 ORDER BY number LIMIT $2 OFFSET $3`, stream, limit, offset)
	return out, total, err
}

// Transcript returns the last lines, up to the message with the number, oldest first:
// what a summary is made of. stream is the conversation's stream without its prefix.
func (x *ConversationReads) Transcript(ctx context.Context, stream string, upTo, most int) ([]ConversationMessage, error) {
	return x.lines(ctx, `WHERE stream_id = $1 AND number <= $2 AND number IN (SELECT number FROM conversation_messages WHERE stream_id = $1 AND number <= $2 ORDER BY number DESC LIMIT $3)
		ORDER BY number`, stream, upTo, most)
}

func (x *ConversationReads) lines(ctx context.Context, where string, args ...any) ([]ConversationMessage, error) {
	rows,
		err := x.db.Query(ctx, `SELECT number, author, agent_id, query, source, language, experience, assist, at FROM conversation_messages `+
		where, args...)
	if err != nil {
		return nil, fmt.Errorf("reading the messages of a conversation: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByPos[ConversationMessage])
	if err != nil {
		return nil, fmt.Errorf("reading the messages of a conversation: %w", err)
	}
	return out, nil
}

// SessionExists reports whether the project has the session.
func (x *ConversationReads) SessionExists(ctx context.Context, tenant, project, session string) (bool, error) {
	return projections.KnowsSession(ctx, x.db, tenant, project, session)
}
