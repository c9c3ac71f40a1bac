package privacy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/completions"
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

// How much one look finds: a step forgets it within its time, and one event of the job names it.
const (
	perLook    = 100  // streams that name a person, and sessions of one contact
	keysOfLook = 1000 // of the person among others, such as in a list that was written again and again
	mostOfLook = 1000 // streams, with what belongs to them
)

// Find gives streams in which one of the identities stands, with what belongs to them; some
// of them if there are many, none if there are none any more. So the same question again,
// after these have forgotten the person, comes to an end.
func (p *Persons) Find(ctx context.Context, tenant string, identities []privacy.Identity) ([]erasures.Place, error) {
	found, err := p.standsIn(ctx, tenant, p.hashes(tenant, identities), place{})
	if err != nil {
		return nil, err
	}
	for n := len(found); ; n /= 2 {
		places, whole := split(found[:n])
		belong, err := p.page(ctx, tenant, whole)
		if err != nil {
			return nil, err
		}
		if n <= 1 || len(places)+len(belong) <= mostOfLook {
			return append(places, wholly(belong)...), nil
		}
	}
}

func (p *Persons) hashes(tenant string, identities []privacy.Identity) (all []string) {
	for _, i := range identities {
		all = append(all, p.hash.of(tenant, i))
	}
	return all
}

// place is a stream that names a person.
type place struct {
	Stream string
	Keys   []string // in their order
}

// last is the key behind which more may stand.
func (p place) last() string {
	if len(p.Keys) == 0 {
		return ""
	}
	return p.Keys[len(p.Keys)-1]
}

// standsIn gives the next streams in which the persons are named. One with very many keys
// comes again with the rest.
func (p *Persons) standsIn(ctx context.Context, tenant string, persons []string, after place) ([]place, error) {
	return projections.All[place](ctx, p.db, "looking for a person", `
		SELECT stream, coalesce(array_agg(key_id ORDER BY key_id) FILTER (WHERE key_id <> ''), '{}') AS keys FROM (
			SELECT DISTINCT s.stream, s.key_id FROM unnest($2::text[]) AS who(person) CROSS JOIN LATERAL (
				SELECT stream, key_id FROM person_streams WHERE tenant = $1 AND person = who.person AND (stream, key_id) > ($3, $4)
				ORDER BY stream, key_id LIMIT $5) s
			ORDER BY 1, 2 LIMIT $5) next
		GROUP BY stream ORDER BY stream LIMIT $6`, tenant, persons, after.Stream, after.last(), keysOfLook, perLook)
}

// split tells streams that are of the person alone from those where the person is among others.
func split(found []place) (among []erasures.Place, whole []string) {
	for _, f := range found {
		if len(f.Keys) > 0 {
			among = append(among, erasures.Place{Stream: f.Stream, Keys: f.Keys})
		} else {
			whole = append(whole, f.Stream)
		}
	}
	return among, whole
}

func wholly(streams []string) (places []erasures.Place) {
	for _, stream := range streams {
		places = append(places, erasures.Place{Stream: stream})
	}
	return places
}

// Left gives those of the streams, and of what belongs to them, in which something can be
// read that was said of the person behind the erasure: by who had begun before it. A
// conversation goes on, and is among them only with a call or a session that is left. No
// session of a channel leads to a contact any more: others who write there go on as well, and
// whoever is made a contact by what they write is found as the person is known.
func (p *Persons) Left(ctx context.Context, tenant string, forgotten []erasures.Place) ([]erasures.Place, error) {
	var whole []string
	for _, f := range forgotten {
		if len(f.Keys) == 0 {
			whole = append(whole, f.Stream)
		}
	}
	all, crowd, err := p.around(ctx, tenant, whole, false)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	if len(crowd) > 0 { // who leads to more of the person is left to Find
		page, err := p.ofCrowd(ctx, tenant, crowd)
		if err != nil {
			return nil, err
		}
		named, err := projections.All[struct{ Stream string }](ctx, p.db, "looking for who is named",
			`SELECT DISTINCT stream FROM person_streams WHERE stream = ANY($1) AND person NOT LIKE 'session-%'`, page)
		for _, n := range named {
			page = slices.DeleteFunc(page, func(stream string) bool { return stream == n.Stream })
		}
		return wholly(page), err
	}
	left, err := p.readable(ctx, all)
	for _, stream := range all {
		if isAnswer(stream) && !slices.Contains(whole, stream) {
			left = append(left, stream)
		}
	}
	if err != nil || len(left) == 0 {
		return nil, err
	}
	said, err := p.with(ctx, tenant, slices.DeleteFunc(slices.Clone(left), isContact), new(int), false)
	for _, stream := range said {
		if isConversation(stream) {
			left = append(left, stream)
		}
	}
	return wholly(left), err
}

// readable are those of the streams whose last key lives, conversations left out.
func (p *Persons) readable(ctx context.Context, streams []string) (left []string, err error) {
	streams = slices.DeleteFunc(slices.Clone(streams), isConversation)
	newest, err := projections.All[streamKey](ctx, p.db, "looking for what was said behind an erasure", newestKeys, streams)
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
			left = append(left, of[id])
		}
	}
	return left, nil
}

// newestKeys reads one event of each stream, however long it is.
const newestKeys = `SELECT s.stream, e.key_id FROM unnest($1::text[]) AS s(stream) CROSS JOIN LATERAL (
		SELECT key_id FROM events WHERE stream = s.stream ORDER BY version DESC LIMIT 1) e ORDER BY s.stream`

type streamKey struct{ Stream, KeyID string }

// isAnswer is whether a stream names the file of a model's answer, and has nothing of the person itself.
func isAnswer(stream string) bool {
	return strings.HasPrefix(stream, completions.Completions.Prefix+"-")
}

func isConversation(stream string) bool {
	return strings.HasPrefix(stream, conversations.Conversations.Prefix+"-")
}
