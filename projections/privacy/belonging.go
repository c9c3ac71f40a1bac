package privacy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/projections"
)

// page is the streams, with what belongs to them, as far as one look goes. Where a contact
// has very many sessions it is those of the contact that come next, without what leads to the
// others: that is forgotten when the others are.
func (p *Persons) page(ctx context.Context, tenant string, streams []string) ([]string, error) {
	all, crowd, err := p.around(ctx, tenant, streams, true)
	if err != nil || len(crowd) == 0 {
		return all, err
	}
	all, err = p.ofCrowd(ctx, tenant, crowd)
	return slices.DeleteFunc(all, func(stream string) bool { return slices.Contains(streams, stream) }), err
}

// around is the streams with what belongs to them, and, of contacts that have more sessions
// than one look finds, those that come next.
func (p *Persons) around(ctx context.Context, tenant string, streams []string, byChannel bool) (all, crowd []string, err error) {
	if all, err = p.with(ctx, tenant, streams, new(perLook), byChannel); err != nil {
		return nil, nil, err
	}
	var known []string
	for _, stream := range all {
		if isContact(stream) {
			known = append(known, contacts.Contacts.StreamID(stream))
		}
	}
	if len(known) == 0 {
		return all, nil, nil
	}
	next, err := projections.All[struct{ Stream string }](ctx, p.db, "looking for sessions of contacts", crowded, tenant, known, perLook)
	for _, n := range next {
		crowd = append(crowd, n.Stream)
	}
	if err != nil || len(crowd) > 0 {
		return all, crowd, err
	}
	return p.outliving(ctx, tenant, all, known, byChannel)
}

// outliving adds to the streams what contacts have of sessions that were forgotten before it: their project keeps calls for
// less long than conversations, recordings, or answers of models. Where these are very many it is they that come next.
func (p *Persons) outliving(ctx context.Context, tenant string, all, known []string, byChannel bool) ([]string, []string, error) {
	rows, err := projections.All[struct{ Stream string }](ctx, p.db, "looking for what outlives sessions", outlived, tenant, known, perLook)
	if err != nil || len(rows) == 0 {
		return all, nil, err
	}
	var forgotten []string
	for _, r := range rows {
		forgotten = append(forgotten, r.Stream)
	}
	if len(rows) == perLook {
		return all, forgotten, nil
	}
	all, err = p.with(ctx, tenant, append(all, forgotten...), new(perLook), byChannel)
	return all, nil, err
}

const outlived = `SELECT 'session-' || s.session_id AS stream FROM sessions s
	WHERE s.tenant = $1 AND s.contact_id = ANY($2::text[]) AND s.contact_id <> '' AND s.erased AND (
		EXISTS (SELECT FROM voicemails v
			WHERE v.tenant = $1 AND v.project_id = s.project_id AND v.session_id = s.session_id AND NOT v.erased)
		OR EXISTS (SELECT FROM conversations c
			WHERE c.tenant = $1 AND c.project_id = s.project_id AND c.session_id = s.session_id AND NOT c.erased)
		OR EXISTS (SELECT FROM conversations c WHERE NOT c.erased
			AND c.stream_id IN ($1 || '.' || s.project_id || '.' || s.session_id, $1 || '.' || s.project_id || '.' || s.call_id))
		OR EXISTS (SELECT FROM transfers x
			JOIN conversations c ON c.stream_id = x.tenant || '.' || x.project_id || '.' || x.conversation_id
			WHERE x.tenant = $1 AND x.session_id = s.session_id AND NOT c.erased)
		OR EXISTS (SELECT FROM completions c JOIN timers k ON k.stream = 'completion-' || c.completion_id AND k.name = 'completion-answer'
			WHERE c.tenant = $1 AND c.project_id = s.project_id AND c.session_id = s.session_id AND c.session_id <> '' AND NOT c.of_turn))
	ORDER BY 1 LIMIT $3`

const crowded = `SELECT 'session-' || next.session_id AS stream FROM unnest($2::text[]) AS c(id) CROSS JOIN LATERAL (
		SELECT session_id, count(*) OVER () AS of_contact FROM (
			SELECT session_id FROM sessions WHERE tenant = $1 AND contact_id = c.id AND contact_id <> '' AND NOT erased LIMIT $3) few
	) next WHERE of_contact >= $3 ORDER BY 1 LIMIT $3`

// ofCrowd is some sessions of a contact, with what belongs to these alone.
func (p *Persons) ofCrowd(ctx context.Context, tenant string, sessions []string) ([]string, error) {
	all, err := p.with(ctx, tenant, sessions, new(int), false)
	return slices.DeleteFunc(all, isContact), err
}

func isContact(stream string) bool { return strings.HasPrefix(stream, contacts.Contacts.Prefix+"-") }

// with is the streams and all that is of the same person as they are: a call, its session, the
// rooms in which it was talked in the session, the calls that browsers made in its name, its
// conversation, by whichever of its ids hooks name it, the transfers and voicemails of the
// session, the answers of models that are kept for it, the contact who talked in it, what
// agents' code keeps of either, and so on from each; of a contact at most so many sessions, that
// were not forgotten yet, nil: all of them. Where several people wrote in a conversation of a channel it does not lead to a
// contact: that may be another one of them, with all that they said elsewhere. Each of them is found by what they are known by.
// Nor does a session that was forgotten, as nobody knows any more how many wrote, nor any of a channel without byChannel.
func (p *Persons) with(ctx context.Context, tenant string, streams []string, sessions *int, byChannel bool) ([]string, error) {
	if len(streams) == 0 {
		return nil, nil
	}
	rows, _ := p.db.Query(ctx, belonging, tenant, streams, sessions, byChannel)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("looking for what belongs to %d streams: %w", len(streams), err)
	}
	return all, nil
}

const belonging = `WITH RECURSIVE person(stream) AS (
	SELECT unnest($2::text[])` + tied + `
) SELECT stream FROM person ORDER BY stream`

// tied goes on from the streams of a person, of the tenant $1, to what belongs to them: of a
// contact to $3 sessions that were not forgotten yet, or to all. Conversations of channels lead to contacts where $4.
const tied = `
	UNION
	SELECT tied.stream FROM person f CROSS JOIN LATERAL (
		SELECT 'session-' || i.session_id AS stream FROM interactions i
			WHERE f.stream LIKE 'call-%' AND i.conversation_id = substr(f.stream, 6) AND i.tenant = $1 AND i.session_id IS NOT NULL
		UNION ALL SELECT 'conversation-' || c.stream_id FROM interactions i
			JOIN conversations c ON c.stream_id = i.tenant || '.' || i.project_id || '.' || i.conversation_id
			WHERE f.stream LIKE 'call-%' AND i.conversation_id = substr(f.stream, 6) AND i.tenant = $1
		UNION ALL SELECT 'call-' || s.call_id FROM sessions s
			WHERE f.stream LIKE 'session-%' AND s.session_id = substr(f.stream, 9) AND s.tenant = $1 AND s.call_id <> ''
		UNION ALL SELECT 'call-' || i.conversation_id FROM sessions s
			JOIN interactions i ON i.tenant = s.tenant AND i.project_id = s.project_id AND i.session_id = s.session_id
			WHERE f.stream LIKE 'session-%' AND s.session_id = substr(f.stream, 9) AND s.tenant = $1
		UNION ALL SELECT p.stream FROM person_streams p
			WHERE f.stream LIKE 'session-%' AND p.tenant = $1 AND p.person = f.stream AND p.key_id = ''
		UNION ALL SELECT p.person FROM person_streams p JOIN sessions s ON s.session_id = substr(p.person, 9) AND s.tenant = p.tenant
			WHERE f.stream LIKE 'call-%' AND p.stream = f.stream AND p.key_id = '' AND p.tenant = $1 AND p.person LIKE 'session-%'
		UNION ALL SELECT 'conversation-' || c.stream_id FROM sessions s
			JOIN conversations c ON c.tenant = s.tenant AND c.project_id = s.project_id AND c.session_id = s.session_id AND c.session_id <> ''
			WHERE f.stream LIKE 'session-%' AND s.session_id = substr(f.stream, 9) AND s.tenant = $1
		UNION ALL SELECT 'conversation-' || c.stream_id FROM sessions s
			JOIN conversations c ON c.stream_id = s.tenant || '.' || s.project_id || '.' || s.session_id
			WHERE f.stream LIKE 'session-%' AND s.session_id = substr(f.stream, 9) AND s.tenant = $1
		UNION ALL SELECT 'conversation-' || c.stream_id FROM sessions s
			JOIN conversations c ON c.stream_id = s.tenant || '.' || s.project_id || '.' || s.assists
			WHERE f.stream LIKE 'session-%' AND s.session_id = substr(f.stream, 9) AND s.tenant = $1 AND s.assists <> ''
		UNION ALL SELECT 'session-' || s.session_id FROM conversations c
			JOIN sessions s ON s.tenant = c.tenant AND s.project_id = c.project_id AND s.assists = c.conversation_id AND s.assists <> ''
			WHERE f.stream LIKE 'conversation-%' AND c.stream_id = substr(f.stream, 14) AND c.tenant = $1
		UNION ALL SELECT 'thread-' || t.thread_id FROM channel_thread_sessions t
			WHERE f.stream LIKE 'session-%' AND t.session_id = substr(f.stream, 9) AND t.tenant = $1
		UNION ALL SELECT 'session-' || t.session_id FROM channel_thread_sessions t
			WHERE f.stream LIKE 'thread-%' AND t.thread_id = substr(f.stream, 8) AND t.tenant = $1
		UNION ALL SELECT 'contact-' || s.contact_id FROM sessions s
			WHERE f.stream LIKE 'session-%' AND s.session_id = substr(f.stream, 9) AND s.tenant = $1 AND s.contact_id <> ''
				AND (SELECT count(*) FROM channel_thread_sessions t
					JOIN person_streams w ON w.stream = 'thread-' || t.thread_id AND w.key_id = '' AND w.tenant = t.tenant AND w.writes
					WHERE t.session_id = s.session_id AND t.tenant = $1) < 2
				AND NOT ((s.erased OR NOT $4) AND EXISTS (SELECT FROM channel_thread_sessions t
					WHERE t.session_id = s.session_id AND t.tenant = $1))
		UNION ALL (SELECT 'session-' || s.session_id FROM sessions s
			WHERE f.stream LIKE 'contact-%' AND s.tenant = $1 AND s.contact_id = substr(f.stream, 9) AND s.contact_id <> ''
				AND ($3::int IS NULL OR NOT s.erased) LIMIT $3)
		UNION ALL SELECT 'memory-' || m.stream_id FROM memories m
			WHERE f.stream LIKE 'session-%' AND m.tenant = $1 AND m.scope = 'session' AND m.owner_id = substr(f.stream, 9)
		UNION ALL SELECT 'memory-' || m.stream_id FROM memories m
			WHERE f.stream LIKE 'contact-%' AND m.tenant = $1 AND m.scope = 'contact' AND m.owner_id = substr(f.stream, 9)
		UNION ALL SELECT 'voicemail-' || v.voicemail_id FROM sessions s
			JOIN voicemails v ON v.tenant = s.tenant AND v.project_id = s.project_id AND v.session_id = s.session_id
			WHERE f.stream LIKE 'session-%' AND s.session_id = substr(f.stream, 9) AND s.tenant = $1
		UNION ALL SELECT k.stream FROM sessions s
			JOIN completions c ON c.tenant = s.tenant AND c.project_id = s.project_id AND c.session_id = s.session_id
				AND c.session_id <> '' AND NOT c.of_turn
			JOIN timers k ON k.stream = 'completion-' || c.completion_id AND k.name = 'completion-answer'
			WHERE f.stream LIKE 'session-%' AND s.session_id = substr(f.stream, 9) AND s.tenant = $1
		UNION ALL SELECT 'transfer-' || x.transfer_id FROM transfers x
			WHERE f.stream LIKE 'session-%' AND x.tenant = $1 AND x.session_id = substr(f.stream, 9)
		UNION ALL SELECT 'session-' || s.session_id FROM transfers x JOIN sessions s ON s.session_id = x.session_id AND s.tenant = x.tenant
			WHERE f.stream LIKE 'transfer-%' AND x.tenant = $1 AND x.transfer_id = substr(f.stream, 10)
		UNION ALL SELECT 'conversation-' || c.stream_id FROM transfers x
			JOIN conversations c ON c.stream_id = x.tenant || '.' || x.project_id || '.' || x.conversation_id
			WHERE f.stream LIKE 'transfer-%' AND x.tenant = $1 AND x.transfer_id = substr(f.stream, 10)
		UNION ALL SELECT 'session-' || s.session_id FROM voicemails v JOIN sessions s ON s.session_id = v.session_id AND s.tenant = v.tenant
			WHERE f.stream LIKE 'voicemail-%' AND v.tenant = $1 AND v.voicemail_id = substr(f.stream, 11)
	) tied`
