package privacy

import (
	"cmp"
	"context"
	"slices"

	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/privacy"
	"github.com/parley-platform/parley/projections"
)

// Part is some of the streams in which a person stands.
type Part struct {
	Places []erasures.Place // in the order of their names, byte by byte
	More   bool             // there are others behind the last of them
	Of     map[string]int   // in how many streams the person stands in all, by category
}

// Part gives streams in which one of the identities stands, with what belongs to them: those
// whose names come behind one, so many at most. It keeps no more of a person than that,
// however many streams there are.
func (p *Persons) Part(ctx context.Context, tenant string, identities []privacy.Identity, after string, most int) (Part, error) {
	rows, err := projections.All[partRow](ctx, p.db, "looking for where a person stands", part, tenant, p.hashes(tenant, identities),
		(*int)(nil), true, after, most+1)
	if err != nil {
		return Part{}, err
	}
	out := Part{Of: map[string]int{}}
	for _, r := range rows {
		switch c := catalog.OfStream(r.Stream); {
		case r.Streams == 0:
			out.Places = append(out.Places, erasures.Place{Stream: r.Stream, Keys: r.Keys})
		case c != nil:
			out.Of[c.Name] += r.Streams
		}
	}
	slices.SortFunc(out.Places, func(a, b erasures.Place) int { return cmp.Compare(a.Stream, b.Stream) })
	if out.More = len(out.Places) > most; out.More {
		out.Places = out.Places[:most]
	}
	return out, nil
}

// partRow is a stream, or how many there are of a category, of which it has the prefix.
type partRow struct {
	Stream  string
	Keys    []string
	Streams int
}

// part counts and cuts in the database: what is told of a person is one part at a time.
const part = `WITH RECURSIVE named AS MATERIALIZED (
	SELECT DISTINCT stream, key_id FROM person_streams WHERE tenant = $1 AND person = ANY($2::text[])
), person(stream) AS (
	SELECT stream FROM named WHERE key_id = ''` + tied + `
), everywhere AS MATERIALIZED (
	SELECT stream, NULL::text[] AS keys FROM person
	UNION ALL
	SELECT stream, array_agg(key_id ORDER BY key_id) FROM named WHERE key_id <> '' GROUP BY stream
)
SELECT split_part(stream, '-', 1) || '-' AS stream, NULL::text[] AS keys, count(*) AS streams FROM everywhere GROUP BY 1
UNION ALL
(SELECT stream, keys, 0 FROM everywhere WHERE stream COLLATE "C" > $5 ORDER BY stream COLLATE "C" LIMIT $6)`
