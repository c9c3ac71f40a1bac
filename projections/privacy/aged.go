package privacy

import (
	"context"

	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/retention"
	"github.com/parley-platform/parley/projections"
)

// Aged gives streams of a project that are too old, the oldest first; some of them if there
// are many, none if there are none any more. What is not over is not too old.
func (p *Persons) Aged(ctx context.Context, tenant string, of erasures.Aged) (places []erasures.Place, err error) {
	for _, kind := range retention.Kinds() {
		before, limited := of.Before[kind]
		for _, look := range aging[kind] {
			if !limited || len(places) >= perLook {
				break
			}
			found, err := projections.All[agedStream](ctx, p.db, "looking for what is too old", look, tenant, of.ProjectID, before,
				perLook-len(places))
			if err != nil {
				return nil, err
			}
			for _, f := range found {
				places = append(places, erasures.Place{Stream: f.Stream})
				if f.Session != nil {
					places = append(places, erasures.Place{Stream: "session-" + *f.Session})
				}
			}
		}
	}
	return places, nil
}

type agedStream struct {
	Stream  string
	Session *string // that belongs to it
}

// aging finds what is too old of each kind. What is kept is in an index by its beginning, the
// end of it can only be later.
var aging = map[retention.Kind][]string{
	retention.Calls: {
		`SELECT 'call-' || conversation_id AS stream, session_id AS session FROM interactions
			WHERE NOT erased AND tenant = $1 AND project_id = $2 AND requested_at < $3 AND ended_at < $3 ORDER BY requested_at LIMIT $4`,
		`SELECT 'session-' || session_id AS stream, NULL AS session FROM sessions
			WHERE NOT erased AND call_id = '' AND tenant = $1 AND project_id = $2 AND opened_at < $3 AND ended_at < $3
			ORDER BY opened_at LIMIT $4`,
		`SELECT 'memory-' || m.stream_id AS stream, NULL AS session FROM memories m
			JOIN sessions s ON s.session_id = m.owner_id AND s.tenant = m.tenant
			WHERE m.tenant = $1 AND m.scope = 'session' AND m.project_id = $2 AND s.opened_at < $3 AND s.ended_at < $3
			ORDER BY m.written_at LIMIT $4`,
		`SELECT 'transfer-' || transfer_id AS stream, NULL AS session FROM transfers
			WHERE NOT erased AND tenant = $1 AND project_id = $2 AND requested_at < $3 AND ended_at < $3 ORDER BY requested_at LIMIT $4`,
	},
	retention.Conversations: {
		`SELECT 'conversation-' || stream_id AS stream, NULL AS session FROM conversations
			WHERE NOT erased AND tenant = $1 AND project_id = $2 AND opened_at < $3 AND coalesce(ended_at, (
				SELECT time FROM events WHERE stream = 'conversation-' || stream_id ORDER BY version DESC LIMIT 1)) < $3
			ORDER BY opened_at LIMIT $4`,
	},
	retention.Recordings: {
		`SELECT 'voicemail-' || voicemail_id AS stream, NULL AS session FROM voicemails
			WHERE NOT erased AND tenant = $1 AND project_id = $2 AND recorded_at < $3 ORDER BY recorded_at LIMIT $4`,
	},
	retention.Messages: {
		`SELECT 'message-' || message_id AS stream, NULL AS session FROM messages
			WHERE NOT erased AND tenant = $1 AND project_id = $2 AND requested_at < $3 AND ended_at < $3 ORDER BY requested_at LIMIT $4`,
	},
}
