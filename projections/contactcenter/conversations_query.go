package contactcenter

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

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
	Summary                   ConversationSummary `db:"-"`
	Dispositions              []string
	DispositionRemarks        []string
	AgentNotes                []string
	UserLevelTags             []string
	SessionLevelTags          []conversations.Tag
	MetaInfo                  json.RawMessage               // an object, or nil
	Participants              []ConversationStay            `db:"-"` // in order of their entries
	AfterCallWork             []conversations.AfterCallWork `db:"-"`
}

// ConversationSummary is the newest summary that was asked for; Number is 0 when none was.
type ConversationSummary struct {
	Number    int                          `db:"summary_number"`
	Status    string                       `db:"summary_status"` // see conversations.SummaryStatus
	Wanted    *conversations.SummaryWanted `db:"summary_wanted"`
	Text      string                       `db:"summary_text"`
	Provider  string                       `db:"summary_provider"`
	Model     string                       `db:"summary_model"`
	Error     string                       `db:"summary_error"` // of the last attempt that failed
	AskedAt   *time.Time                   `db:"summary_asked_at"`
	OutcomeAt *time.Time                   `db:"summary_at"`
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
	Author, HumanAgentID, Query          string
	Source, Language, Experience, Assist string
	Suggestion                           string // of the assisting agent
	AssistAgent, AssistSession           string
	AssistCode, AssistProblem            string // why there is none
	AssistedAt                           *time.Time
	At                                   time.Time
}

// conversationRow is the row of a conversation, without those who took part.
type conversationRow struct {
	StreamID string
	ConversationInfo
	ConversationSummary
}

const selectConversations = `SELECT stream_id, project_id, conversation_id, session_id, origin, status, experience, opened_at, entered_at,
	ended_at,
	end_reason, segments,
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
		OR EXISTS (SELECT FROM interactions WHERE tenant = $1 AND project_id = $2
		AND conversation_id = $3)`, tenant, project, id, conversations.StreamID(tenant, project, id)).Scan(&ok)
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
		`SELECT coalesce(session_id, ''), requested_at, erased FROM interactions WHERE tenant = $1 AND project_id = $2
			AND conversation_id = $3`, tenant, project, id).Scan(&c.SessionID, &c.At, &c.Forgotten)
	return c, err == nil, projections.Found(err, "reading a call")
}

// ByConversationOrSession returns the conversations of a project that have one of the
// ids or belong to one of the sessions: what call details add of agents. Their order
// is that of their opening.
func (x *ConversationReads) ByConversationOrSession(ctx context.Context, tenant, project string, ids []string) ([]ConversationInfo, error) {
	streams := make([]string, len(ids))
	for i, id := range ids {
		streams[i] = conversations.StreamID(tenant, project, id)
	}
	return x.read(ctx,
		`WHERE tenant = $1 AND project_id = $2 AND (stream_id = ANY($4) OR session_id <> '' AND session_id = ANY($3))
			ORDER BY opened_at, conversation_id`,
		tenant, project, ids, streams)
}

// List returns a project's conversations, newest first, and how many there are. An
// empty status lists all.
func (x *ConversationReads) List(ctx context.Context, tenant, project, status string, limit, offset int) ([]ConversationInfo, int, error) {
	const where = `WHERE tenant = $1 AND project_id = $2 AND ($3 = '' OR status = $3)`
	rows, total, err := projections.Page[conversationRow](ctx, x.db, "listing conversations", projections.PageQuery{
		Count: `SELECT count(*) FROM conversations ` + where,
		Rows:  selectConversations + where + ` ORDER BY opened_at DESC, conversation_id LIMIT $4 OFFSET $5`,
		Args:  []any{tenant, project, status}, Limit: limit, Offset: offset})
	if err != nil {
		return nil, 0, err
	}
	found, err := x.withPeople(ctx, rows)
	return found, total, err
}

func (x *ConversationReads) read(ctx context.Context, where string, args ...any) ([]ConversationInfo, error) {
	rows, err := projections.All[conversationRow](ctx, x.db, "reading conversations", selectConversations+where, args...)
	if err != nil {
		return nil, err
	}
	return x.withPeople(ctx, rows)
}

// withPeople adds who took part, and their work afterwards.
func (x *ConversationReads) withPeople(ctx context.Context, rows []conversationRow) ([]ConversationInfo, error) {
	found, streams, at := make([]ConversationInfo, len(rows)), make([]string, len(rows)), map[string]*ConversationInfo{}
	for i, r := range rows {
		found[i], streams[i], at[r.StreamID] = r.ConversationInfo, r.StreamID, &found[i]
		found[i].Summary = r.ConversationSummary
	}
	if err := x.stays(ctx, streams, at); err != nil {
		return nil, err
	}
	return found, x.work(ctx, streams, at)
}

func (x *ConversationReads) stays(ctx context.Context, streams []string, at map[string]*ConversationInfo) error {
	type stay struct {
		StreamID string
		ConversationStay
	}
	found, err := projections.All[stay](ctx, x.db, "reading the agents of conversations", `SELECT stream_id, stay, segment, identity, name,
			entered_by, entered_at, redialed_at, left_by, left_at, experience, external, reason, language, agent_email, queue_id, queue_name
		FROM conversation_participants WHERE stream_id = ANY($1) ORDER BY stream_id, stay`, streams)
	for _, s := range found {
		at[s.StreamID].Participants = append(at[s.StreamID].Participants, s.ConversationStay)
	}
	return err
}

func (x *ConversationReads) work(ctx context.Context, streams []string, at map[string]*ConversationInfo) error {
	type work struct {
		StreamID, HumanAgentID string
		StartedAt, EndedAt     *time.Time
		DurationMs             int64
	}
	found, err := projections.All[work](ctx, x.db, "reading after-call work",
		`SELECT stream_id, agent_id AS human_agent_id, started_at, ended_at, duration_ms
		FROM conversation_work WHERE stream_id = ANY($1) ORDER BY stream_id, agent_id`, streams)
	for _, r := range found {
		w := conversations.AfterCallWork{HumanAgentID: r.HumanAgentID, DurationMs: r.DurationMs}
		if r.StartedAt != nil && r.EndedAt != nil {
			w.StartedAt, w.EndedAt = *r.StartedAt, *r.EndedAt
		}
		at[r.StreamID].AfterCallWork = append(at[r.StreamID].AfterCallWork, w)
	}
	return err
}

// Messages returns lines of the transcript, oldest first, and how many there are.
func (x *ConversationReads) Messages(ctx context.Context, tenant, project, id string, limit, offset int) ([]ConversationMessage, int,
	error) {
	return projections.Page[ConversationMessage](ctx, x.db, "reading the messages of a conversation", projections.PageQuery{
		Count: `SELECT count(*) FROM conversation_messages WHERE stream_id = $1`,
		Rows:  selectMessages + `WHERE stream_id = $1 ORDER BY number LIMIT $2 OFFSET $3`,
		Args:  []any{conversations.StreamID(tenant, project, id)}, Limit: limit, Offset: offset})
}

const selectMessages = `SELECT number, author, agent_id AS human_agent_id, query, source, language, experience, assist,
	suggestion, assist_agent, assist_session, assist_code, assist_problem, assisted_at, at FROM conversation_messages `

// Transcript returns the last lines, up to the message with the number, oldest first:
// what a summary is made of. stream is the conversation's stream without its prefix.
func (x *ConversationReads) Transcript(ctx context.Context, stream string, upTo, most int) ([]ConversationMessage, error) {
	return projections.All[ConversationMessage](ctx, x.db, "reading the messages of a conversation", selectMessages+`
		WHERE stream_id = $1 AND number <= $2
			AND number IN (SELECT number FROM conversation_messages WHERE stream_id = $1 AND number <= $2 ORDER BY number DESC LIMIT $3)
		ORDER BY number`, stream, upTo, most)
}

// SessionExists reports whether the project has the session.
func (x *ConversationReads) SessionExists(ctx context.Context, tenant, project, session string) (bool, error) {
	return projections.KnowsSession(ctx, x.db, tenant, project, session)
}
