package privacy

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/privacy"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/sealed"
	"github.com/parley-platform/parley/projections"
)

// Persons answers where a person stands.
type Persons struct {
	db   *pgxpool.Pool
	keys eventstore.Keys
	hash Fingerprint
}

// NewPersons reads through the pool.
func NewPersons(db *pgxpool.Pool, keys eventstore.Keys, hash Fingerprint) *Persons {
	return &Persons{db, keys, hash}
}

// perLook bounds the rows of one look: a step forgets what it found within its time.
const perLook = 100

// Find gives streams in which one of the identities stands, with what belongs to them; some
// of them if there are many, none if there are none any more. So the same question again,
// after these have forgotten the person, comes to an end.
func (p *Persons) Find(ctx context.Context, tenant string, identities []privacy.Identity) ([]erasures.Place, error) {
	found, err := p.standsIn(ctx, tenant, p.hashes(tenant, identities), "")
	if err != nil {
		return nil, err
	}
	return p.around(ctx, tenant, found)
}

// Everywhere gives all streams in which one of the identities stands, with what belongs to
// them, in the order of their names.
func (p *Persons) Everywhere(ctx context.Context, tenant string, identities []privacy.Identity) ([]erasures.Place, error) {
	hashes, known := p.hashes(tenant, identities), map[string]erasures.Place{}
	for after := ""; ; {
		found, err := p.standsIn(ctx, tenant, hashes, after)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return slices.SortedFunc(maps.Values(known), func(a, b erasures.Place) int { return cmp.Compare(a.Stream, b.Stream) }), nil
		}
		after = found[len(found)-1].Stream
		places, err := p.around(ctx, tenant, found)
		if err != nil {
			return nil, err
		}
		for _, place := range places {
			known[place.Stream] = place
		}
	}
}

func (p *Persons) hashes(tenant string, identities []privacy.Identity) (all []string) {
	for _, i := range identities {
		all = append(all, p.hash.of(tenant, i))
	}
	return all
}

// standsIn gives the next streams in which the persons are named.
func (p *Persons) standsIn(ctx context.Context, tenant string, persons []string, after string) ([]place, error) {
	return projections.All[place](ctx, p.db, "looking for a person", `
		SELECT stream, coalesce(array_agg(DISTINCT key_id) FILTER (WHERE key_id <> ''), '{}') AS keys FROM person_streams
		WHERE tenant = $1 AND person = ANY($2) AND stream > $3 GROUP BY stream ORDER BY stream LIMIT $4`, tenant, persons, after, perLook)
}

// around is what was found, with what belongs to the streams that are of the person alone.
func (p *Persons) around(ctx context.Context, tenant string, found []place) (places []erasures.Place, err error) {
	var whole []string
	for _, f := range found {
		if len(f.Keys) > 0 {
			places = append(places, erasures.Place{Stream: f.Stream, Keys: f.Keys})
		} else {
			whole = append(whole, f.Stream)
		}
	}
	belong, err := p.with(ctx, tenant, whole)
	for _, stream := range belong {
		places = append(places, erasures.Place{Stream: stream})
	}
	return places, err
}

type place struct {
	Stream string
	Keys   []string
}

// with is the streams and all that is of the same person as they are: a call, its session,
// its conversation, the transfers and voicemails of the session, the contact who talked in it, and so on from each.
func (p *Persons) with(ctx context.Context, tenant string, streams []string) ([]string, error) {
	if len(streams) == 0 {
		return nil, nil
	}
	rows, _ := p.db.Query(ctx, belonging, tenant, streams)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("looking for what belongs to %d streams: %w", len(streams), err)
	}
	return all, nil
}

const belonging = `WITH RECURSIVE person(stream) AS (
	SELECT unnest($2::text[])
	UNION
	SELECT tied.stream FROM person f CROSS JOIN LATERAL (
		SELECT 'session-' || i.session_id AS stream FROM interactions i
			WHERE f.stream LIKE 'call-%' AND i.conversation_id = substr(f.stream, 6) AND i.tenant = $1 AND i.session_id IS NOT NULL
		UNION ALL SELECT 'conversation-' || c.stream_id FROM interactions i
			JOIN conversations c ON c.stream_id = i.tenant || '.' || i.project_id || '.' || i.conversation_id
			WHERE f.stream LIKE 'call-%' AND i.conversation_id = substr(f.stream, 6) AND i.tenant = $1
		UNION ALL SELECT 'call-' || s.call_id FROM sessions s
			WHERE f.stream LIKE 'session-%' AND s.session_id = substr(f.stream, 9) AND s.tenant = $1 AND s.call_id <> ''
		UNION ALL SELECT 'conversation-' || c.stream_id FROM sessions s
			JOIN conversations c ON c.tenant = s.tenant AND c.project_id = s.project_id AND c.session_id = s.session_id AND c.session_id <> ''
			WHERE f.stream LIKE 'session-%' AND s.session_id = substr(f.stream, 9) AND s.tenant = $1
		UNION ALL SELECT 'contact-' || s.contact_id FROM sessions s
			WHERE f.stream LIKE 'session-%' AND s.session_id = substr(f.stream, 9) AND s.tenant = $1 AND s.contact_id <> ''
		UNION ALL SELECT 'session-' || s.session_id FROM sessions s
			WHERE f.stream LIKE 'contact-%' AND s.tenant = $1 AND s.contact_id = substr(f.stream, 9) AND s.contact_id <> ''
		UNION ALL SELECT 'voicemail-' || v.voicemail_id FROM sessions s
			JOIN voicemails v ON v.tenant = s.tenant AND v.project_id = s.project_id AND v.session_id = s.session_id
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
	) tied
) SELECT stream FROM person ORDER BY stream`

// Left gives those of the streams, and of what belongs to them, in which something can be
// read that was said of the person behind the erasure: by who had begun before it. A
// conversation goes on, and is not among them.
func (p *Persons) Left(ctx context.Context, tenant string, forgotten []erasures.Place) (left []erasures.Place, err error) {
	var whole []string
	for _, f := range forgotten {
		if len(f.Keys) == 0 {
			whole = append(whole, f.Stream)
		}
	}
	all, err := p.with(ctx, tenant, whole)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	newest, err := projections.All[streamKey](ctx, p.db, "looking for what was said behind an erasure", `
		SELECT DISTINCT ON (stream) stream, key_id FROM events WHERE stream = ANY($1) AND topic <> $2 ORDER BY stream, version DESC`,
		all, conversations.Conversations.Topic())
	if err != nil {
		return nil, err
	}
	ids, of := []sealed.ID{}, map[sealed.ID]string{}
	for _, n := range newest {
		if n.KeyID == "" || n.KeyID == eventstore.OwnKeys {
			continue
		}
		id, err := sealed.ParseID(n.KeyID)
		if err != nil {
			return nil, fmt.Errorf("reading the key of %s: %w", n.Stream, err)
		}
		ids, of[id] = append(ids, id), n.Stream
	}
	alive, err := p.keys.Find(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("looking for keys: %w", err)
	}
	for _, id := range ids {
		if alive[id] != nil {
			left = append(left, erasures.Place{Stream: of[id]})
		}
	}
	return left, nil
}

type streamKey struct{ Stream, KeyID string }
