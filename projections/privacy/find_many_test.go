package privacy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/projections/privacy"
	given "github.com/parley-platform/parley/projections/projectiontest"
)

// forgets does to the tables what the models do when the places have forgotten the person.
func forgets(t *testing.T, w *given.World, places []erasures.Place) {
	t.Helper()
	var streams, keys, sessions []string
	for _, p := range places {
		if len(p.Keys) == 0 {
			p.Keys = []string{""}
		}
		for _, key := range p.Keys {
			streams, keys = append(streams, p.Stream), append(keys, key)
		}
		if id, ok := strings.CutPrefix(p.Stream, "session-"); ok {
			sessions = append(sessions, id)
		}
	}
	_, err := w.DB.Exec(t.Context(), `DELETE FROM person_streams p USING unnest($1::text[], $2::text[]) gone (stream, key_id)
		WHERE p.stream = gone.stream AND p.key_id = gone.key_id`, streams, keys)
	require.NoError(t, err)
	_, err = w.DB.Exec(t.Context(), `UPDATE sessions SET erased = true WHERE session_id = ANY($1)`, sessions)
	require.NoError(t, err)
	for _, sql := range []string{`UPDATE conversations SET erased = true WHERE 'conversation-' || stream_id = ANY($1)`,
		`UPDATE voicemails SET erased = true WHERE 'voicemail-' || voicemail_id = ANY($1)`} {
		_, err = w.DB.Exec(t.Context(), sql, streams)
		require.NoError(t, err)
	}
}

// looks finds and forgets until nothing is found, and tells what was found at each look.
// What a look may find is what one event can say, and one step can forget.
func looks(t *testing.T, w *given.World) (pages [][]erasures.Place) {
	t.Helper()
	p := privacy.NewPersons(w.DB, nil, plain)
	for range 200 {
		found, err := p.Find(t.Context(), "tenantId", number)
		require.NoError(t, err)
		if len(found) == 0 {
			return pages
		}
		require.LessOrEqual(t, len(found), 1000)
		encoded, err := json.Marshal(erasures.Found{Places: found})
		require.NoError(t, err)
		require.Less(t, len(encoded), 128<<10)
		forgets(t, w, found)
		pages = append(pages, found)
	}
	t.Fatal("it comes to no end")
	return nil
}

func insert(t *testing.T, w *given.World, sql ...string) {
	t.Helper()
	for _, s := range sql {
		_, err := w.DB.Exec(t.Context(), s)
		require.NoError(t, err, s)
	}
}

const named = `INSERT INTO person_streams (tenant, person, stream, key_id) SELECT 'tenantId', 'person/tenantId/telephone/+15550001', `

// Given somebody in 5,000 texts, and in a list that was written 2,500 times, then each look
// finds a part that can be forgotten in one step, and all of them together everything once.
func TestSomebodyInVeryManyStreamsIsFoundInParts(t *testing.T) {
	w := given.Open(t)
	insert(t, w, named+`'message-m-' || n, '' FROM generate_series(1, 5000) n`,
		named+`'contactlist-p', lpad(n::text, 22, '0') FROM generate_series(1, 2500) n`)
	all := everywhere(t, privacy.NewPersons(w.DB, nil, plain), "tenantId", 700)
	require.Len(t, all, 5001)
	require.Len(t, all[0].Keys, 2500, "the list is told once, with all keys")

	pages := looks(t, w)
	seen, keys := map[string]bool{}, 0
	for _, page := range pages {
		for _, p := range page {
			require.True(t, !seen[p.Stream] || p.Keys != nil, "%s is found twice", p.Stream)
			seen[p.Stream] = true
			keys += len(p.Keys)
		}
	}
	require.Len(t, seen, 5001)
	require.Equal(t, 2500, keys)
	require.LessOrEqual(t, len(pages), 54)
}

// Given a contact who talked in 950 sessions, each with a conversation, and a call of the
// same number that leads to the first, then all of them are found, a part at a time; the
// contact and the call, which lead to the others, are forgotten when they are.
func TestAContactWithVeryManySessionsIsFoundInParts(t *testing.T) {
	w := given.Open(t)
	somebody(w) // session s-1 of contact ct-1
	insert(t, w, named+`'contact-ct-1', ''`,
		`INSERT INTO sessions (SELECT (jsonb_populate_record(s, jsonb_build_object('session_id', 'many-' || n, 'call_id', ''))).*
			FROM sessions s, generate_series(1, 949) n)`,
		`INSERT INTO conversations (SELECT (jsonb_populate_record(c, jsonb_build_object('stream_id', 'tenantId.shop.many-' || n,
			'conversation_id', 'many-' || n, 'session_id', 'many-' || n))).* FROM conversations c, generate_series(1, 949) n)`)
	all := everywhere(t, privacy.NewPersons(w.DB, nil, plain), "tenantId", 700)
	require.Len(t, all, len(hers)+2*949)

	pages := looks(t, w)
	seen := map[string]bool{}
	for n, page := range pages {
		for _, p := range page {
			seen[p.Stream] = true
			if p.Stream == "contact-ct-1" || p.Stream == "call-c-1" {
				require.Equal(t, len(pages)-1, n, "%s is the way to the others", p.Stream)
			}
		}
	}
	require.Len(t, seen, len(all))
	require.Len(t, pages, 10)
}

// Given a contact whose call has forgotten, then what is left of very many sessions is found
// a part at a time, too, and never who is still named.
func TestWhatIsLeftOfVeryManyIsFoundInParts(t *testing.T) {
	w := given.Open(t)
	somebody(w)
	insert(t, w, named+`'contact-ct-1', ''`, `INSERT INTO sessions (SELECT (jsonb_populate_record(s,
		jsonb_build_object('session_id', 'many-' || n, 'call_id', ''))).* FROM sessions s, generate_series(1, 250) n)`)
	p, before, found := privacy.NewPersons(w.DB, alive{}, plain), []erasures.Place{{Stream: "session-s-1"}}, 0
	for range 10 {
		left, err := p.Left(t.Context(), "tenantId", before)
		require.NoError(t, err)
		if len(left) == 0 {
			break
		}
		forgets(t, w, left)
		require.LessOrEqual(t, len(left), 1000)
		for _, l := range left {
			require.NotEqual(t, "call-c-1", l.Stream)
			require.NotEqual(t, "contact-ct-1", l.Stream)
			if strings.HasPrefix(l.Stream, "session-") {
				found++
			}
		}
	}
	require.GreaterOrEqual(t, found, 200, "the last of them come with the contact")
}

// Given what many persons are known by, when one stream forgets one of them, then it is found by the index that a model has
// while it is built again, too: its primary key.
func TestWhoIsForgottenIsFoundByTheStream(t *testing.T) {
	w := given.Open(t)
	_, err := w.DB.Exec(t.Context(), `INSERT INTO person_streams (tenant, person, stream, key_id)
		SELECT 'tenantId', 'p-' || n, 'contactlist-' || n % 10, 'k-' || n FROM generate_series(1, 20000) n`)
	require.NoError(t, err)
	_, err = w.DB.Exec(t.Context(), `ANALYZE person_streams`)
	require.NoError(t, err)
	rows, err := w.DB.Query(t.Context(), `EXPLAIN DELETE FROM person_streams t
		USING unnest((SELECT $1::text[]), (SELECT $2::text[])) AS u(k, s) WHERE t.key_id = u.k AND t.stream = u.s`,
		[]string{"k-7"}, []string{"contactlist-7"})
	require.NoError(t, err)
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Contains(t, strings.Join(plan, "\n"), "person_streams_pkey")
}
