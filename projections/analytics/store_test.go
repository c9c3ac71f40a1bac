package analytics

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/postgres"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/migrations"
	"github.com/parley-platform/parley/projections/sink"
)

// database is a migrated database of the test's own, with a writer.
func database(t *testing.T) (*pgxpool.Pool, writer) {
	t.Helper()
	db, err := postgres.Open(t.Context(), embeddedtest.Database(t), nil)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	require.NoError(t, db.Migrate(t.Context(), migrations.Files))
	_, err = db.Queries.Exec(t.Context(), `UPDATE analytics_progress SET owner = 'test', owner_epoch = 1`)
	require.NoError(t, err)
	return db.Projector, writer{db: db.Projector, owner: "test", epoch: 1}
}

// events draws events over three days, two projects and the whole tenant.
func events(t *rapid.T, tenant string) []row {
	begin := time.Date(2026, 10, 30, 22, 0, 0, 0, time.UTC) // over the end of a month
	types := map[string]Category{"call_completed": Voice, "call_failed": Voice, "session_opened": Session, "turn": LLM, "said": Message}
	one := rapid.Custom(func(t *rapid.T) row {
		x := row{tenant: tenant, id: uuid.NewString(), metadata: `{}`, eventType: rapid.SampledFrom([]string{"call_completed", "call_failed",
			"session_opened", "turn", "said"}).Draw(t, "type")}
		x.category = types[x.eventType]
		x.ts = begin.Add(time.Duration(rapid.Int64Range(0, int64(72*time.Hour/time.Millisecond)).Draw(t, "ms")) * time.Millisecond)
		x.Project = rapid.SampledFrom([]string{"p", "p", "q", ""}).Draw(t, "project")
		x.AgentName = rapid.SampledFrom([]string{"", "greeter", "closer"}).Draw(t, "agent")
		x.Channel = rapid.SampledFrom([]string{"", "voice", "sms"}).Draw(t, "channel")
		x.SessionID = rapid.SampledFrom([]string{"", "s1", "s2"}).Draw(t, "session")
		x.stream = "none-" + x.id
		if rapid.Bool().Draw(t, "timed") {
			x.Duration = Milliseconds(rapid.Int64Range(0, 100_000).Draw(t, "duration"))
		}
		if rapid.IntRange(0, 3).Draw(t, "error") == 0 {
			x.Error = "broken"
		}
		if x.category == LLM {
			x.Model, x.TokensIn, x.TokensOut = rapid.SampledFrom([]string{"large", "small"}).Draw(t, "model"),
				rapid.Int64Range(0, 9000).Draw(t, "in"), rapid.Int64Range(0, 900).Draw(t, "out")
			x.Cost = rapid.SampledFrom([]*int64{nil, new(int64)}).Draw(t, "price")
			if rapid.Bool().Draw(t, "costs") {
				x.Cost = rapid.Ptr(rapid.Int64Range(0, 1e9), false).Draw(t, "cost")
			}
		}
		return x
	})
	return rapid.SliceOfN(one, 1, 120).Draw(t, "events")
}

func query(t *rapid.T, tenant string) Query {
	moment := rapid.Custom(func(t *rapid.T) time.Time {
		at := time.Date(2026, 10, 30, 20, 0, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 76).Draw(t, "hour")) * time.Hour)
		return at.Add(time.Duration(rapid.SampledFrom([]int{0, 0, 1, 1_800_000, 3_599_999}).Draw(t, "past")) * time.Millisecond)
	})
	q := Query{Tenant: tenant, Project: rapid.SampledFrom([]string{"p", "q"}).Draw(t, "of"), From: moment.Draw(t, "from"),
		To: moment.Draw(t, "to"), Durations: true}
	groupings := []Grouping{GroupCategory, GroupEventType, GroupAgent, GroupChannel, GroupModel, GroupHour, GroupDay}
	q.GroupBy = rapid.SliceOfNDistinct(rapid.SampledFrom(groupings), 0, 3, func(g Grouping) Grouping { return g }).Draw(t, "by")
	optional := func(name string, of ...string) string { return rapid.SampledFrom(append(of, "", "", "")).Draw(t, name) }
	q.Filter = Filter{Category: Category(optional("category", "voice", "llm")), AgentName: optional("agent", "greeter"),
		SessionID: optional("session", "s1"),
		Model:     rapid.IntRange(0, 4).Draw(t, "model") == 0, HasError: rapid.IntRange(0, 4).Draw(t, "errors") == 0}
	if rapid.IntRange(0, 3).Draw(t, "channels") == 0 {
		q.Filter.Channels = rapid.SampledFrom([][]string{{"voice"}, {"rtm", "sms", "voice"}, {"rtm"}}).Draw(t, "channel")
	}
	if rapid.IntRange(0, 3).Draw(t, "types") == 0 {
		q.Filter.EventTypes = []string{"call_completed", "turn"}
	}
	return q
}

func (q Query) has(x row) bool {
	f := q.Filter
	return x.tenant == q.Tenant && (x.Project == q.Project || x.Project == "") && !x.ts.Before(q.From) && x.ts.Before(q.To) &&
		(f.Category == "" || f.Category == x.category) &&
		(f.AgentName == "" || f.AgentName == x.AgentName) &&
		(f.Channels == nil || slices.Contains(f.Channels, x.Channel)) && (f.SessionID == "" || f.SessionID == x.SessionID) &&
		(!f.Model || x.Model != "") && (!f.HasError || x.Error != "") && (f.EventTypes == nil || slices.Contains(f.EventTypes, x.eventType))
}

// recount is the answer by going through everything.
func recount(rows []row, q Query) map[identity]*Bucket {
	out := map[identity]*Bucket{}
	for _, x := range rows {
		if !q.has(x) {
			continue
		}
		b := Bucket{Keys: map[Grouping]string{}}
		for _, g := range q.GroupBy {
			switch g {
			case GroupHour:
				b.Time = x.ts.Truncate(time.Hour)
			case GroupDay:
				b.Day = x.ts.Truncate(24 * time.Hour)
			default:
				b.Keys[g] = map[Grouping]string{GroupCategory: string(x.category), GroupEventType: x.eventType, GroupAgent: x.AgentName,
					GroupChannel: x.Channel, GroupModel: x.Model}[g]
			}
		}
		if out[b.identity()] == nil {
			out[b.identity()] = &b
		}
		out[b.identity()].Add(x.sums())
	}
	return out
}

// Whatever came in whatever batches: each answer is what going through all events gives.
func TestSumsAreThoseOfTheEvents(t *testing.T) {
	db, w := database(t)
	store := NewStore(db)
	rapid.Check(t, func(rt *rapid.T) {
		tenant := uuid.NewString()
		all := events(rt, tenant)
		for rest := all; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "batch")
			require.NoError(rt, w.write(context.Background(), batch{rows: slices.Clone(rest[:n])}))
			rest = rest[n:]
		}
		for range 8 {
			q := query(rt, tenant)
			got, err := store.Aggregate(context.Background(), q)
			require.NoError(rt, err)
			want := recount(all, q)
			require.Len(rt, got, len(want))
			for _, b := range got {
				expected := want[b.identity()]
				require.NotNil(rt, expected, "%+v", b)
				require.Equal(rt, expected.Sums, b.Sums, "%+v", q)
			}
			checkPage(rt, store, all, q)
		}
	})
}

// checkPage: the page is the newest of all that fit, and the total is exact.
func checkPage(t *rapid.T, store *Store, all []row, q Query) {
	var fit []row
	for _, x := range all {
		if q.Filter.Model = false; q.has(x) {
			fit = append(fit, x)
		}
	}
	slices.SortFunc(fit, func(a, b row) int {
		if c := b.ts.Compare(a.ts); c != 0 {
			return c
		}
		return slices.Compare([]byte(b.id), []byte(a.id))
	})
	limit, offset := rapid.IntRange(1, 10).Draw(t, "limit"), rapid.IntRange(0, 10).Draw(t, "offset")
	got, total, err := store.Events(context.Background(), EventsQuery{Tenant: q.Tenant, Project: q.Project, From: q.From, To: q.To,
		Filter: q.Filter, Limit: limit, Offset: offset})
	require.NoError(t, err)
	require.EqualValues(t, len(fit), total)
	fit = fit[min(offset, len(fit)):]
	fit = fit[:min(limit, len(fit))]
	require.Len(t, got, len(fit))
	for i, e := range got {
		require.Equal(t, fit[i].id, e.ID)
		require.Equal(t, fit[i].eventType, e.Type)
		require.True(t, fit[i].ts.Equal(e.Time))
		require.Equal(t, fit[i].Error != "", e.Error != nil)
	}
}

func TestOnlyOneWriterWrites(t *testing.T) {
	db, w := database(t)
	first, second := sink.Place{Topic: "parley.calls"}, sink.Place{Topic: "parley.calls", Partition: 1}
	ctx := t.Context()
	at := batch{moves: []move{{first, 0, 10, false}}}
	require.NoError(t, w.write(ctx, at))
	require.ErrorIs(t, w.write(ctx, at), errNotOurs, "the same batch a second time")
	older := w
	_, err := db.Exec(ctx, `UPDATE analytics_progress SET owner = 'other', owner_epoch = 2`)
	require.NoError(t, err)
	require.ErrorIs(t, older.write(ctx, batch{moves: []move{{first, 10, 20, false}}}), errNotOurs)
	other := writer{db: db, owner: "other", epoch: 2}
	both := []move{{first, 10, 20, false}, {second, 0, 5, false}}
	require.NoError(t, other.write(ctx, batch{moves: both}))
	twice := []move{{second, 5, 6, false}, {first, 10, 20, false}}
	require.ErrorIs(t, other.write(ctx, batch{moves: twice}), errNotOurs)
	live, err := positions(ctx, db)
	require.NoError(t, err)
	require.Equal(t, map[sink.Place]int64{first: 20, second: 5}, live, "what is refused is refused whole")

	fed := batch{moves: []move{{second, 5, 6, true}}}
	require.ErrorContains(t, other.write(ctx, fed), "went back", "the read models lost in a crash what they had fed")
	_, err = other.db.Exec(ctx, `INSERT INTO checkpoints (projection, topic, partition, next_offset) VALUES ('live', 'parley.calls', 1, 6)`)
	require.NoError(t, err)
	require.NoError(t, other.write(ctx, fed))
}

func TestTraitsAreRememberedOfAStream(t *testing.T) {
	db, w := database(t)
	at := time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)
	event := func(n int, e Entry) row {
		return row{Entry: e, stream: "call-1", tenant: "acme", id: uuid.NewString(), ts: at.Add(time.Duration(n) * time.Minute), category: Voice,
			eventType: fmt.Sprint("step_", n), metadata: `{}`}
	}
	require.NoError(t, w.write(t.Context(), batch{rows: []row{event(0, Entry{Traits: Traits{Project: "p", Channel: "voice"}, Remember: true}),
		event(1, Entry{})}}))
	require.NoError(t, w.write(t.Context(),
		batch{rows: []row{event(2, Entry{Traits: Traits{SessionID: "s", AgentName: "greeter"}, Remember: true}), event(3, Entry{Omit: true})}}))
	require.NoError(t, w.write(t.Context(), batch{rows: []row{event(4, Entry{Traits: Traits{AgentName: "closer"}, Lifetime: true}),
		event(5, Entry{})}}))
	got, total, err := NewStore(db).Events(t.Context(), EventsQuery{Tenant: "acme", Project: "p", From: at, To: at.Add(time.Hour), Limit: 10})
	require.NoError(t, err)
	require.EqualValues(t, 5, total, "what is left out is not counted")
	traits := map[string][3]string{}
	for _, e := range got {
		traits[e.Type] = [3]string{e.SessionID, e.AgentName, e.Channel}
	}
	require.Equal(t, map[string][3]string{"step_0": {"", "", "voice"}, "step_1": {"", "", "voice"}, "step_2": {"s", "greeter", "voice"},
		"step_4": {"s", "closer", "voice"}, "step_5": {"s", "greeter", "voice"}}, traits)
	require.Equal(t, "step_4", got[1].Type)
	require.EqualValues(t, 4*60_000, *got[1].DurationMs)
}

// A session that assists people is no conversation of its own: what it did and cost is counted, and
// neither that there is one, nor what is said in it.
func TestAnAssistingSessionIsNoConversation(t *testing.T) {
	db, w := database(t)
	at := time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)
	event := func(category Category, e Entry) row {
		return row{Entry: e, stream: "session-1", tenant: "acme", id: uuid.NewString(), ts: at, category: category,
			eventType: string(category), metadata: `{}`}
	}
	opened := Entry{Traits: Traits{Project: "p", SessionID: "s", Channel: "assist"}, Remember: true}
	require.NoError(t, w.write(t.Context(), batch{rows: []row{event(Session, opened), event(Message, Entry{OfCall: true}),
		event(LLM, Entry{}), event(Tool, Entry{})}}))
	got, _, err := NewStore(db).Events(t.Context(), EventsQuery{Tenant: "acme", Project: "p", From: at, To: at.Add(time.Hour), Limit: 10})
	require.NoError(t, err)
	var types []string
	for _, e := range got {
		types = append(types, e.Type)
	}
	require.ElementsMatch(t, []string{"llm", "tool"}, types)
}

// Users' words reach people by the conversation as well, and on a call the call has told them.
func TestAMessageForPeopleIsOne(t *testing.T) {
	hook := conversations.MessageReceived{Author: conversations.User, Query: "Hello", Source: conversations.BySession}
	for name, c := range map[string]struct {
		actor        string
		of           event.Payload
		omit, ofCall bool
	}{
		"in the session":                 {"token:app/ann", sessions.PassedOn{Text: "Hello"}, false, true},
		"brought to the conversation":    {"reactor:session-people", hook, true, false},
		"of a hook that calls itself so": {"token:app/desk", hook, false, false},
		"of a hook":                      {"token:app/desk", conversations.MessageReceived{Source: "desk"}, false, false},
	} {
		k, err := conversations.Conversations.KindOf(c.of)
		if _, is := c.of.(sessions.PassedOn); is {
			k, err = sessions.Sessions.KindOf(c.of)
		}
		require.NoError(t, err, name)
		m := mappingOf(k)
		e := m.describe(At{Actor: c.actor}, c.of)
		require.Equal(t, []any{Message, c.omit, c.ofCall}, []any{m.category, e.Omit, e.OfCall}, name)
	}
}

func TestLongRangesOfTwoDimensionsAreRefused(t *testing.T) {
	to := time.Date(2026, 11, 8, 0, 0, 0, 0, time.UTC)
	q := Query{GroupBy: []Grouping{GroupAgent, GroupChannel}, From: to.Add(-LongestRaw), To: to}
	_, err := q.plan()
	require.NoError(t, err)
	q.From = q.From.Add(-time.Second)
	_, err = q.plan()
	require.ErrorIs(t, err, ErrTooLong)
	q.GroupBy = []Grouping{GroupAgent, GroupCategory, GroupHour}
	p, err := q.plan()
	require.NoError(t, err)
	require.Equal(t, ByAgent, p.cube)
}

func TestTextsThatPostgresCannotKeep(t *testing.T) {
	require.Equal(t, "a\uFFFDb\uFFFD", keepable("a\x00b\xff"))
	require.Len(t, []rune(keepable(string(make([]rune, 1000)))), longest)
}
