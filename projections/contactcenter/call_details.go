package contactcenter

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/projections"
)

// CallDetails answers what call details report: sessions that have ended, with what
// transfers, hooks and the people who took them add. It owns no table.
type CallDetails struct {
	db            *pgxpool.Pool
	transfers     *Transfers
	conversations *ConversationReads
}

// NewCallDetails reads through the pool.
func NewCallDetails(db *pgxpool.Pool) *CallDetails {
	return &CallDetails{db, NewTransfers(db), NewConversations(db)}
}

// Ended selects sessions that have ended: those of a project that began at or after
// From and before Until. Empty Channels and Queues mean all.
type Ended struct {
	Tenant, Project string
	From, Until     time.Time
	Channels        []string // kind slugs
	Queues          []string // ids; of sessions that entered one of them
	Limit, Offset   int
}

// CallDetail is one session that has ended.
type CallDetail struct {
	SessionID, ConversationID, Channel, Direction string
	UserID, CenterID                              string
	StartedAt, EndedAt                            time.Time
	DisconnectingEvent, FinalStatus               string
	Customer                                      calls.Customer

	Transfers    []Transfer             `db:"-"` // in their order
	Conversation *ConversationInfo      `db:"-"` // what hooks and notes tell; nil: nothing
	Said         map[string][]time.Time `db:"-"` // when each agent said something, by who is named in it
}

// fromCalls, fromChats and fromHooks are the sources of a page: calls, sessions that are
// no call's, and conversations of which hooks alone tell. What hooks tell of a session
// that we know is told with that session.
const (
	fromCalls = `FROM interactions i WHERE tenant = $1 AND project_id = $2 AND ended_at IS NOT NULL AND session_id IS NOT NULL
		AND started_at >= $3 AND started_at < $4
		AND (cardinality($5::text[]) = 0 OR channel = ANY($5))
		AND (cardinality($6::text[]) = 0
			OR EXISTS (SELECT FROM transfers t WHERE t.tenant = i.tenant AND t.session_id = i.session_id AND t.queue_id = ANY($6))
			OR EXISTS (SELECT FROM conversations c JOIN conversation_participants p ON p.stream_id = c.stream_id
				WHERE c.tenant = i.tenant AND c.project_id = i.project_id AND c.session_id = i.session_id AND p.queue_id = ANY($6))
			OR EXISTS (SELECT FROM conversation_participants p WHERE p.stream_id = i.tenant || '.' || i.project_id || '.' || i.conversation_id
			AND p.queue_id = ANY($6)))`

	fromChats = `FROM sessions s WHERE tenant = $1 AND project_id = $2 AND call_id = '' AND ended_at IS NOT NULL AND opened_at >= $3
		AND opened_at < $4
		AND (cardinality($5::text[]) = 0 OR ` + chatChannel + ` = ANY($5))
		AND (cardinality($6::text[]) = 0
			OR EXISTS (SELECT FROM transfers t WHERE t.tenant = s.tenant AND t.session_id = s.session_id AND t.queue_id = ANY($6))
			OR EXISTS (SELECT FROM conversations c JOIN conversation_participants p ON p.stream_id = c.stream_id
				WHERE c.tenant = s.tenant AND c.project_id = s.project_id AND c.session_id = s.session_id AND p.queue_id = ANY($6)))`

	chatChannel = `CASE WHEN channel IN ('web', 'web_debug', 'mobile', 'sdk') THEN 'rtm' ELSE channel END`

	fromHooks = `FROM conversations c WHERE tenant = $1 AND project_id = $2 AND origin = 'hook' AND ended_at IS NOT NULL AND entered_at >= $3
		AND entered_at < $4
		AND (cardinality($5::text[]) = 0 OR CASE experience WHEN 'voice' THEN 'voice' ELSE 'rtm' END = ANY($5))
		AND (cardinality($6::text[]) = 0 OR EXISTS (SELECT FROM conversation_participants p WHERE p.stream_id = c.stream_id
		AND p.queue_id = ANY($6)))
		AND NOT EXISTS (SELECT FROM interactions x WHERE x.conversation_id = c.conversation_id AND x.tenant = c.tenant)
		AND NOT EXISTS (SELECT FROM sessions s WHERE s.session_id = c.session_id AND s.tenant = c.tenant AND (s.call_id <> ''
		OR s.ended_at IS NOT NULL))
		AND NOT EXISTS (SELECT FROM transfers t WHERE t.tenant = c.tenant AND t.conversation_id = c.conversation_id
		AND t.project_id = c.project_id)`

	countOfDetails = `SELECT (SELECT count(*) ` + fromCalls + `) + (SELECT count(*) ` + fromChats + `) + (SELECT count(*) ` + fromHooks + `)`
)

// pageOfDetails is a page of the three. A direction is known of calls that we placed.
var pageOfDetails = `SELECT * FROM (
		(SELECT session_id, conversation_id, channel, direction, user_id, center_id, started_at, ended_at, disconnecting AS disconnecting_event,
			` + projections.FinalStatusOfCall + ` AS final_status, coalesce(customer, '{}') AS customer ` + fromCalls + `
			ORDER BY started_at, session_id LIMIT $7::int + $8::int)
		UNION ALL
		(SELECT session_id, '', ` + chatChannel + `, '', '', '', opened_at, ended_at, 'User Hangup',
			` + projections.FinalStatusOfChat + `, '{}' ` + fromChats + `
			ORDER BY opened_at, session_id LIMIT $7::int + $8::int)
		UNION ALL
		(SELECT CASE session_id WHEN '' THEN conversation_id ELSE session_id END, conversation_id,
			CASE experience WHEN 'voice' THEN 'voice' ELSE 'rtm' END, '', '', '', entered_at, ended_at,
			'Agent Closed', 'CLOSED', '{}' ` + fromHooks + ` ORDER BY entered_at, conversation_id LIMIT $7::int + $8::int)) page
		ORDER BY started_at, session_id LIMIT $7 OFFSET $8`

// Ended returns sessions in order of their start, then of their id, and how many
// match in all.
func (x *CallDetails) Ended(ctx context.Context, q Ended) ([]CallDetail, int, error) {
	page, total, err := projections.Page[CallDetail](ctx, x.db, "reading call details", projections.PageQuery{Count: countOfDetails,
		Rows: pageOfDetails, Args: []any{q.Tenant, q.Project, q.From, q.Until, orEmpty(q.Channels), orEmpty(q.Queues)},
		Limit: q.Limit, Offset: q.Offset})
	if err != nil {
		return nil, 0, err
	}
	return page, total, x.addPeople(ctx, q, page)
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// addPeople adds what transfers and hooks tell of the page's sessions.
func (x *CallDetails) addPeople(ctx context.Context, q Ended, page []CallDetail) error {
	if len(page) == 0 {
		return nil
	}
	sessions := projections.Column(page, func(d CallDetail) string { return d.SessionID })
	moved, err := x.transfers.OfSessions(ctx, q.Tenant, sessions)
	if err != nil {
		return err
	}
	ids := append(sessions, projections.Column(page, func(d CallDetail) string { return d.ConversationID })...)
	for _, all := range moved {
		ids = append(ids, projections.Column(all, func(t Transfer) string { return t.ConversationID })...)
	}
	told, err := x.conversations.ByConversationOrSession(ctx, q.Tenant, q.Project, ids)
	if err != nil {
		return err
	}
	for i := range page {
		d := &page[i]
		d.Transfers = moved[d.SessionID]
		var own []ConversationInfo
		for _, c := range told {
			transferred := func(t Transfer) bool { return t.ConversationID == c.ConversationID } // hooks may tell of it before its session is known
			if c.ConversationID == d.ConversationID || c.SessionID != "" && c.SessionID == d.SessionID || slices.ContainsFunc(d.Transfers,
				transferred) {
				own = append(own, c)
			}
		}
		d.Conversation = asOne(own)
	}
	return x.addSaid(ctx, q, page)
}

// asOne tells the conversations of one session as one: that of a transfer, say, and the
// call's own, in which something was noted. Of several the one with agents tells who was
// there, the newest of those; what was noted in the others fills what was not noted in it.
func asOne(all []ConversationInfo) *ConversationInfo {
	if len(all) == 0 {
		return nil
	}
	main := len(all) - 1
	for i, c := range all {
		if len(c.Participants) > 0 && (len(all[main].Participants) == 0 || i > main) {
			main = i
		}
	}
	out := all[main]
	for i, c := range slices.Backward(all) {
		if i == main {
			continue
		}
		ifNone(&out.Dispositions, c.Dispositions)
		ifNone(&out.DispositionRemarks, c.DispositionRemarks)
		ifNone(&out.AgentNotes, c.AgentNotes)
		ifNone(&out.UserLevelTags, c.UserLevelTags)
		ifNone(&out.SessionLevelTags, c.SessionLevelTags)
		ifNone((*[]byte)(&out.MetaInfo), c.MetaInfo)
		ifNone(&out.AfterCallWork, c.AfterCallWork)
	}
	return &out
}

func ifNone[T any](have *[]T, other []T) {
	if len(*have) == 0 {
		*have = other
	}
}

func (x *CallDetails) addSaid(ctx context.Context, q Ended, page []CallDetail) error {
	of := map[string][]*CallDetail{}
	var streams []string
	for i := range page {
		if c := page[i].Conversation; c != nil {
			stream := conversations.StreamID(q.Tenant, q.Project, c.ConversationID)
			of[stream], streams = append(of[stream], &page[i]), append(streams, stream)
			page[i].Said = map[string][]time.Time{}
		}
	}
	if len(streams) == 0 {
		return nil
	}
	type said struct {
		StreamID, AgentID string
		At                []time.Time
	}
	found, err := projections.All[said](ctx, x.db, "reading when agents answered", `SELECT stream_id, agent_id, array_agg(at ORDER BY at) AS at
		FROM conversation_messages WHERE stream_id = ANY($1) AND author = 'AGENT' GROUP BY stream_id, agent_id`, streams)
	if err != nil {
		return err
	}
	for _, s := range found {
		for _, d := range of[s.StreamID] {
			d.Said[s.AgentID] = s.At
		}
	}
	return nil
}
