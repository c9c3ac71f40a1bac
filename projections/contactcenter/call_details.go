package contactcenter

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/reporting"
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

// endedRow is a session as the page has it.
type endedRow struct {
	SessionID, ConversationID, Channel, Direction string
	CustomerID, CustomerPhone, CenterID           string
	StartedAt, EndedAt                            time.Time
	DisconnectingEvent                            string
	FinalStatus                                   reporting.FinalStatus
	Customer                                      calls.Customer
}

func (r endedRow) session() reporting.Session {
	return reporting.Session{SessionID: r.SessionID, ConversationID: r.ConversationID, Channel: r.Channel, Direction: r.Direction,
		CustomerID: r.CustomerID, CustomerPhone: r.CustomerPhone, CenterID: r.CenterID, StartedAt: r.StartedAt, EndedAt: r.EndedAt,
		DisconnectingEvent: r.DisconnectingEvent, FinalStatus: r.FinalStatus, Customer: r.Customer}
}

// fromCalls, fromChats and fromHooks are the sources of a page: calls, sessions that are
// no call's, and conversations of which hooks alone tell. What hooks tell of a session
// that we know, under its own id too, is told with that session, and a chat in which there was a room with the room's call.
// That is so within a project: a contact center names its conversations as it likes, and the name may be an id in another
// project. Of a call that nobody answered hooks alone tell.
// Who talked in a chat is its contact; one that is deleted or erased has no row, and is nobody here. So is the contact of a
// chat that was forgotten because the project keeps it no longer: the contact is there, and is not named by it any more.
const (
	fromCalls = `FROM interactions i WHERE tenant = $1 AND project_id = $2 AND ended_at IS NOT NULL AND session_id IS NOT NULL
		AND started_at >= $3 AND started_at < $4
		AND (cardinality($5::text[]) = 0 OR channel = ANY($5))
		AND (cardinality($6::text[]) = 0
			OR EXISTS (SELECT FROM transfers t WHERE t.tenant = i.tenant AND t.session_id = i.session_id AND t.queue_id = ANY($6))
			OR EXISTS (SELECT FROM conversations c JOIN conversation_participants p ON p.stream_id = c.stream_id
				WHERE c.tenant = i.tenant AND c.project_id = i.project_id AND c.session_id = i.session_id AND p.queue_id = ANY($6))
			OR EXISTS (SELECT FROM conversation_participants p WHERE p.stream_id IN (i.tenant || '.' || i.project_id || '.' || i.conversation_id,
				i.tenant || '.' || i.project_id || '.' || i.session_id) AND p.queue_id = ANY($6)))`

	fromChats = `FROM sessions s LEFT JOIN contacts k ON k.contact_id = s.contact_id AND k.tenant = s.tenant AND NOT s.erased
		WHERE s.tenant = $1 AND project_id = $2 AND call_id = '' AND ended_at IS NOT NULL AND NOT test
		AND assists = '' AND opened_at >= $3 AND opened_at < $4
		AND NOT EXISTS (SELECT FROM interactions r WHERE r.tenant = s.tenant AND r.project_id = s.project_id
			AND r.session_id = s.session_id AND r.ended_at IS NOT NULL)
		AND (cardinality($5::text[]) = 0 OR ` + chatChannel + ` = ANY($5))
		AND (cardinality($6::text[]) = 0
			OR EXISTS (SELECT FROM transfers t WHERE t.tenant = s.tenant AND t.session_id = s.session_id AND t.queue_id = ANY($6))
			OR EXISTS (SELECT FROM conversations c JOIN conversation_participants p ON p.stream_id = c.stream_id
				WHERE c.tenant = s.tenant AND c.project_id = s.project_id AND c.session_id = s.session_id AND p.queue_id = ANY($6))
			OR EXISTS (SELECT FROM conversation_participants p WHERE p.stream_id = s.tenant || '.' || s.project_id || '.' || s.session_id
				AND p.queue_id = ANY($6)))`

	chatChannel = `CASE WHEN s.channel IN ('web', 'web_debug', 'mobile', 'sdk') THEN 'rtm' ELSE s.channel END`

	// chatCustomer has a contact's name whole, as the first: which part of it is which, nobody said.
	chatCustomer = `jsonb_build_object('firstName', coalesce(k.display_name, ''),
		'email', CASE k.identity_type WHEN 'email' THEN k.identity ELSE '' END)`

	fromHooks = `FROM conversations c WHERE tenant = $1 AND project_id = $2 AND origin = 'hook' AND ended_at IS NOT NULL AND entered_at >= $3
		AND entered_at < $4
		AND (cardinality($5::text[]) = 0 OR CASE experience WHEN 'voice' THEN 'voice' ELSE 'rtm' END = ANY($5))
		AND (cardinality($6::text[]) = 0 OR EXISTS (SELECT FROM conversation_participants p WHERE p.stream_id = c.stream_id
		AND p.queue_id = ANY($6)))
		AND NOT EXISTS (SELECT FROM interactions x WHERE x.conversation_id = c.conversation_id AND x.tenant = c.tenant
		AND x.project_id = c.project_id AND (x.ended_at IS NULL OR x.session_id IS NOT NULL))
		AND NOT EXISTS (SELECT FROM sessions s WHERE s.session_id = c.session_id AND s.tenant = c.tenant AND s.project_id = c.project_id
		AND (s.call_id <> '' OR s.ended_at IS NOT NULL))
		AND NOT EXISTS (SELECT FROM sessions s WHERE s.session_id = c.conversation_id AND s.tenant = c.tenant AND s.project_id = c.project_id
		AND (s.call_id <> '' OR s.ended_at IS NOT NULL))
		AND NOT EXISTS (SELECT FROM transfers t WHERE t.tenant = c.tenant AND t.conversation_id = c.conversation_id
		AND t.project_id = c.project_id)`

	countOfDetails = `SELECT (SELECT count(*) ` + fromCalls + `) + (SELECT count(*) ` + fromChats + `) + (SELECT count(*) ` + fromHooks + `)`
)

// pageOfDetails is a page of the three. A direction is known of calls that we placed.
var pageOfDetails = `SELECT * FROM (
		(SELECT session_id, conversation_id, channel, direction, user_id AS customer_id,
				user_id AS customer_phone, center_id, started_at, ended_at,
				disconnecting AS disconnecting_event,
			` + projections.FinalStatusOfCall + ` AS final_status, coalesce(customer, '{}') AS customer ` + fromCalls + `
			ORDER BY started_at, session_id LIMIT $7::int + $8::int)
		UNION ALL
		(SELECT session_id, '', ` + chatChannel + `, '', coalesce(k.identity, ''),
				CASE k.identity_type WHEN 'phone' THEN k.identity ELSE '' END, '', opened_at, ended_at, ` + projections.HangupOfChat + `,
			` + projections.FinalStatusOfChat + `, ` + chatCustomer + ` ` + fromChats + `
			ORDER BY opened_at, session_id LIMIT $7::int + $8::int)
		UNION ALL
		(SELECT CASE session_id WHEN '' THEN conversation_id ELSE session_id END, conversation_id,
			CASE experience WHEN 'voice' THEN 'voice' ELSE 'rtm' END, '', '', '', '', entered_at, ended_at,
			'Agent Closed', 'CLOSED', '{}' ` + fromHooks + ` ORDER BY entered_at, 1 LIMIT $7::int + $8::int)) page
		ORDER BY started_at, session_id LIMIT $7 OFFSET $8`

// Ended returns sessions in order of their start, then of their id, and how many
// match in all.
func (x *CallDetails) Ended(ctx context.Context, q Ended) ([]reporting.Session, int, error) {
	rows, total, err := projections.Page[endedRow](ctx, x.db, "reading call details", projections.PageQuery{Count: countOfDetails,
		Rows: pageOfDetails, Args: []any{q.Tenant, q.Project, q.From, q.Until, orEmpty(q.Channels), orEmpty(q.Queues)},
		Limit: q.Limit, Offset: q.Offset})
	if err != nil {
		return nil, 0, err
	}
	page := projections.Column(rows, endedRow.session)
	return page, total, x.addPeople(ctx, q, page)
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// addPeople adds what transfers and hooks tell of the page's sessions.
func (x *CallDetails) addPeople(ctx context.Context, q Ended, page []reporting.Session) error {
	if len(page) == 0 {
		return nil
	}
	sessions := projections.Column(page, func(s reporting.Session) string { return s.SessionID })
	moved, err := x.transfers.OfSessions(ctx, q.Tenant, q.Project, sessions)
	if err != nil {
		return err
	}
	ids := append(sessions, projections.Column(page, func(s reporting.Session) string { return s.ConversationID })...)
	for _, all := range moved {
		ids = append(ids, projections.Column(all, func(t Transfer) string { return t.ConversationID })...)
	}
	found, err := x.conversations.ByConversationOrSession(ctx, q.Tenant, q.Project, ids)
	if err != nil {
		return err
	}
	told := projections.Column(found, toldOf)
	for i := range page {
		s := &page[i]
		s.Transfers = projections.Column(moved[s.SessionID], movedOf)
		s.Conversation = reporting.AsOne(s.Of(told))
	}
	return x.addSaid(ctx, q, page)
}

// movedOf is what call details tell of a transfer.
func movedOf(t Transfer) reporting.Transfer {
	return reporting.Transfer{TransferID: t.TransferID, ConversationID: t.ConversationID, Opened: t.Opened, Status: t.Status,
		AskedHumanAgentID: t.AskedHumanAgentID, QueueID: t.QueueID, QueueName: t.QueueName, Skills: t.Skills, RequestedAt: t.RequestedAt,
		HumanAgentID: t.HumanAgentID, AssignedAt: t.AssignedAt, EndedAt: t.EndedAt, Reason: t.Reason}
}

// toldOf is what call details tell of a conversation.
func toldOf(c ConversationInfo) reporting.Conversation {
	return reporting.Conversation{ConversationID: c.ConversationID, SessionID: c.SessionID, EndedAt: c.EndedAt, EndReason: c.EndReason,
		Dispositions: c.Dispositions, DispositionRemarks: c.DispositionRemarks, AgentNotes: c.AgentNotes,
		UserLevelTags: c.UserLevelTags, SessionLevelTags: c.SessionLevelTags, MetaInfo: c.MetaInfo, AfterCallWork: c.AfterCallWork,
		Participants: projections.Column(c.Participants, func(p ConversationStay) reporting.Stay {
			return reporting.Stay{Identity: p.Identity, Name: p.Name, Email: p.AgentEmail, QueueID: p.QueueID, QueueName: p.QueueName,
				EnteredAt: p.EnteredAt, LeftAt: p.LeftAt}
		})}
}

func (x *CallDetails) addSaid(ctx context.Context, q Ended, page []reporting.Session) error {
	of := map[string][]*reporting.Session{}
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
		StreamID, HumanAgentID string
		At                     []time.Time
	}
	found, err := projections.All[said](ctx, x.db, "reading when agents answered", `SELECT stream_id, agent_id AS human_agent_id,
			array_agg(at ORDER BY at) AS at
		FROM conversation_messages WHERE stream_id = ANY($1) AND author = 'AGENT' GROUP BY stream_id, agent_id`, streams)
	if err != nil {
		return err
	}
	for _, s := range found {
		for _, d := range of[s.StreamID] {
			d.Said[s.HumanAgentID] = s.At
		}
	}
	return nil
}
