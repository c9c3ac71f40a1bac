package privacy

import (
	"context"
	"slices"

	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/retention"
	"github.com/parley-platform/parley/projections"
)

// Aged gives streams of a project that are too old, besides some, the oldest first; some of them if there
// are many, none if there are none any more. What is not over is not too old.
func (p *Persons) Aged(ctx context.Context, tenant string, of erasures.Aged, besides []erasures.Place) (
	places []erasures.Place, err error) {
	known := make([]string, 0, len(besides)) // NULL would be equal to everything
	for _, b := range besides {
		known = append(known, b.Stream)
	}
	for _, kind := range retention.Kinds() {
		before, limited := of.Before[kind]
		for _, look := range aging[kind] {
			if !limited || len(places) >= perLook {
				break
			}
			found, err := projections.All[agedStream](ctx, p.db, "looking for what is too old", look, tenant, of.ProjectID, before,
				perLook-len(places), known)
			if err != nil {
				return nil, err
			}
			for _, f := range found {
				places = append(places, erasures.Place{Stream: f.Stream})
				if f.Beside != nil && !slices.ContainsFunc(places, func(p erasures.Place) bool { return p.Stream == *f.Beside }) {
					places = append(places, erasures.Place{Stream: *f.Beside})
				}
			}
		}
	}
	return places, nil
}

type agedStream struct {
	Stream string
	Beside *string // that goes with it
}

// aging finds what is too old of each kind. What is kept is in an index by its beginning, the
// end of it can only be later.
var aging = map[retention.Kind][]string{
	retention.Calls: {
		// The session of a room is no call's alone: it is written to when the call is over, and has an age of its own.
		`SELECT 'call-' || i.conversation_id AS stream, CASE WHEN NOT EXISTS (SELECT FROM sessions s
				WHERE s.session_id = i.session_id AND s.tenant = i.tenant AND s.call_id = '') THEN 'session-' || i.session_id END AS beside
			FROM interactions i WHERE NOT i.erased AND i.tenant = $1 AND i.project_id = $2 AND i.requested_at < $3 AND i.ended_at < $3
				AND 'call-' || i.conversation_id <> ALL($5) ORDER BY i.requested_at LIMIT $4`,
		// The conversation of a channel has the words of all of its sessions, and what none took, and goes with the last of them.
		`SELECT 'session-' || s.session_id AS stream, (SELECT 'thread-' || t.thread_id FROM channel_thread_sessions t
				WHERE t.session_id = s.session_id AND t.tenant = s.tenant AND NOT EXISTS (SELECT FROM channel_thread_sessions o
					JOIN sessions x ON x.session_id = o.session_id AND x.tenant = o.tenant
					WHERE o.thread_id = t.thread_id AND (x.ended_at IS NULL OR x.ended_at >= $3))
				AND NOT EXISTS (SELECT FROM channel_refusals r WHERE r.thread_id = t.thread_id AND r.tenant = t.tenant AND r.refused_at >= $3)
			) AS beside FROM sessions s
			WHERE NOT s.erased AND s.call_id = '' AND s.tenant = $1 AND s.project_id = $2 AND s.opened_at < $3 AND s.ended_at < $3
				AND 'session-' || s.session_id <> ALL($5) ORDER BY s.opened_at LIMIT $4`,
		// What no session took has none to go with, nor has what was said when all were forgotten.
		`SELECT 'thread-' || r.thread_id AS stream, NULL AS beside FROM channel_refusals r
			WHERE r.tenant = $1 AND r.project_id = $2 AND r.refused_at < $3 AND NOT EXISTS (SELECT FROM channel_thread_sessions o
				JOIN sessions x ON x.session_id = o.session_id AND x.tenant = o.tenant WHERE o.thread_id = r.thread_id AND NOT x.erased)
				AND 'thread-' || r.thread_id <> ALL($5) ORDER BY r.refused_at LIMIT $4`,
		`SELECT 'memory-' || m.stream_id AS stream, NULL AS beside FROM memories m
			JOIN sessions s ON s.session_id = m.owner_id AND s.tenant = m.tenant
			WHERE m.tenant = $1 AND m.scope = 'session' AND m.project_id = $2 AND m.written_at < $3 AND s.opened_at < $3
			AND s.ended_at < $3 AND 'memory-' || m.stream_id <> ALL($5) ORDER BY m.written_at LIMIT $4`,
		`SELECT 'transfer-' || transfer_id AS stream, NULL AS beside FROM transfers
			WHERE NOT erased AND tenant = $1 AND project_id = $2 AND requested_at < $3 AND ended_at < $3
				AND 'transfer-' || transfer_id <> ALL($5) ORDER BY requested_at LIMIT $4`,
	},
	retention.Conversations: {
		`SELECT 'conversation-' || stream_id AS stream, NULL AS beside FROM conversations
			WHERE NOT erased AND tenant = $1 AND project_id = $2 AND opened_at < $3 AND coalesce(ended_at, (
				SELECT time FROM events WHERE stream = 'conversation-' || stream_id AND type <> 'parley.conversations.attributed.v1'
				ORDER BY version DESC LIMIT 1)) < $3
				AND 'conversation-' || stream_id <> ALL($5) ORDER BY opened_at LIMIT $4`,
	},
	retention.Recordings: {
		`SELECT 'voicemail-' || voicemail_id AS stream, NULL AS beside FROM voicemails
			WHERE NOT erased AND tenant = $1 AND project_id = $2 AND recorded_at < $3
				AND 'voicemail-' || voicemail_id <> ALL($5) ORDER BY recorded_at LIMIT $4`,
	},
	retention.Messages: {
		`SELECT 'message-' || message_id AS stream, NULL AS beside FROM messages
			WHERE NOT erased AND tenant = $1 AND project_id = $2 AND requested_at < $3 AND ended_at < $3
				AND 'message-' || message_id <> ALL($5) ORDER BY requested_at LIMIT $4`,
	},
}

// Owned is a stream, and whose it is.
type Owned struct {
	Stream  string
	Persons []string // hashes
}

// Outliving are conversations and voicemails that have an age of their own, and of which nobody would know whose they are
// once the streams are forgotten: a call knew, or a transfer, or the conversation of a channel.
func (p *Persons) Outliving(ctx context.Context, tenant string, streams []string) ([]Owned, error) {
	return projections.All[Owned](ctx, p.db, "looking for what outlives what is too old", outliving, tenant, streams, 0, false)
}

const outliving = `SELECT o.stream, array_agg(DISTINCT n.person ORDER BY n.person) AS persons
	FROM unnest($2::text[]) AS old(stream)
	JOIN person_streams n ON n.tenant = $1 AND n.stream = old.stream AND n.key_id = '' AND n.person NOT LIKE 'session-%'
	CROSS JOIN LATERAL (WITH RECURSIVE person(stream) AS (SELECT old.stream` + tied + `) SELECT stream FROM person) o
	WHERE (EXISTS (SELECT FROM conversations c WHERE o.stream = 'conversation-' || c.stream_id AND NOT c.erased)
			OR EXISTS (SELECT FROM voicemails v WHERE o.stream = 'voicemail-' || v.voicemail_id AND NOT v.erased))
		AND NOT EXISTS (SELECT FROM person_streams k WHERE k.tenant = $1 AND k.person = n.person AND k.stream = o.stream AND k.key_id = '')
	GROUP BY o.stream ORDER BY o.stream`
