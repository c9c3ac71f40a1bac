package audit

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections/engine"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/sink"
)

// halves is a log whose topics have two partitions each.
type halves struct{ sink.Log }

func (halves) Partitions(string) (int, error) { return 2, nil }
func (halves) LogID() string                  { return "log-1" }

// indexed is the audit of a stream index that a test fills by hand.
type indexed struct {
	*Audit
	t *testing.T
}

// newIndex is that of a projector that has caught up.
func newIndex(t *testing.T) indexed {
	t.Helper()
	w := given.Open(t)
	x := indexed{NewAudit(engine.NewProjector(engine.Config{Log: halves{}, Queries: w.DB, Logger: slog.New(slog.DiscardHandler),
		Metrics: prometheus.NewRegistry(), Categories: []*event.Category{calls.Calls.Category, texts.Texts.Category}})), t}
	x.gate = shut{}
	t.Cleanup(func() { x.exec(`DELETE FROM events`); x.exec(`DELETE FROM checkpoints`) })
	return x
}

func (x indexed) exec(sql string, args ...any) {
	x.t.Helper()
	_, err := x.db.Exec(context.Background(), sql, args...)
	require.NoError(x.t, err)
}

func (x indexed) given(records ...*eventstore.Record) {
	x.t.Helper()
	columns, err := sink.Columns(records)
	require.NoError(x.t, err)
	x.exec(sink.InsertEvents, columns...)
}

// projected moves the checkpoint of a partition.
func (x indexed) projected(projection string, p Partition, next int64) {
	x.t.Helper()
	x.exec(`INSERT INTO checkpoints (projection, topic, partition, next_offset) VALUES ($1, $2, $3, $4)
		ON CONFLICT (projection, topic, partition) DO UPDATE SET next_offset = excluded.next_offset`, projection, p.Topic, p.Number, next)
}

func (x indexed) read(q Query) Page {
	x.t.Helper()
	if q.MaxBytes == 0 {
		q.MaxBytes = 1 << 20
	}
	page, err := x.Read(x.t.Context(), q)
	require.NoError(x.t, err)
	return page
}

// happened is an event of acme at an offset, so many seconds after noon. The stream is
// the partition's.
func happened(p Partition, offset int64, second int, edit ...func(*eventstore.Record)) *eventstore.Record {
	id := uuid.NewSHA1(uuid.Nil, fmt.Append(nil, p, offset)).String()
	r := &eventstore.Record{Stream: p.Topic + "-" + strconv.Itoa(p.Number), Version: offset + 1, Topic: p.Topic, Partition: p.Number,
		Offset: offset, ID: id, Commit: id, CommitSize: 1, Type: "parley.calls.answered.v1", Time: given.Second(second), Tenant: "acme",
		Data: []byte(`{}`)}
	for _, change := range edit {
		change(r)
	}
	return r
}

func ofTenantNamed(tenant string) func(*eventstore.Record) {
	return func(r *eventstore.Record) { r.Tenant = tenant }
}

// places are where the events of a page stand, as "calls0 4".
func places(page Page) string {
	var out []string
	for _, r := range page.Events {
		out = append(out, strings.TrimPrefix(r.Topic, "parley.")+strconv.Itoa(r.Partition)+" "+strconv.FormatInt(r.Offset, 10))
	}
	return strings.Join(out, ", ")
}

func TestAnEventComesBackWithAllThatTheIndexHasOfIt(t *testing.T) {
	x := newIndex(t)
	require.Equal(t, "log-1", x.LogID())
	r := happened(calls1, 41, 5)
	r.Actor, r.Source, r.CommitIndex, r.CommitSize, r.Parent, r.RequestID, r.RequestHash = "user:ada@crm", "n-1", 2, 3, "p", "r", "h"
	r.CorrelationID, r.CausationID, r.Traceparent, r.Data = "c", "e-0", "00-1", []byte(`{"a": 1.0}`)
	x.given(r)
	require.Equal(t, Page{Events: []*eventstore.Record{r}, Next: Positions{calls1: 42}}, x.read(Query{Tenant: "acme", Limit: 1}))
}

// The gate is the projector's: of one that has not caught up nothing is told.
func TestTheAuditOfAProjectorThatCatchesUpTellsNothing(t *testing.T) {
	x := newIndex(t)
	p := engine.NewProjector(engine.Config{Log: halves{}, Queries: x.db, Logger: slog.New(slog.DiscardHandler),
		Metrics: prometheus.NewRegistry()})
	_, err := NewAudit(p).bell.look(t.Context(), nil)
	require.Equal(t, p.Gate(), err)
	require.Error(t, err)
}

func TestWhichEventsAPageHas(t *testing.T) {
	x := newIndex(t)
	typed := func(name string) func(*eventstore.Record) { return func(r *eventstore.Record) { r.Type = name } }
	ledTo := func(r *eventstore.Record) { r.CorrelationID = "tr-1" }
	x.given(happened(calls0, 3, 10, ledTo), happened(calls0, 4, 40, typed("parley.calls.answered.v2")),
		happened(calls1, 3, 20, typed("parley.calls.answered-late.v1")), happened(calls1, 7, 50, ledTo),
		happened(messages0, 0, 30, typed("parley.messages.sent.v1")),
		happened(calls0, 5, 25, ofTenantNamed("globex"), ledTo), happened(messages0, 9, 26, ofTenantNamed("globex")))
	for name, c := range map[string]struct {
		q    Query
		want string
		more bool
	}{
		"all, by time":                {Query{}, "calls0 3, calls1 3, messages0 0, calls0 4, calls1 7", false},
		"the newest first":            {Query{Descending: true}, "calls1 7, calls0 4, messages0 0, calls1 3, calls0 3", false},
		"the first ones":              {Query{Limit: 2}, "calls0 3, calls1 3", true},
		"the last ones":               {Query{Limit: 2, Descending: true}, "calls1 7, calls0 4", true},
		"as many as there are":        {Query{Limit: 5}, "calls0 3, calls1 3, messages0 0, calls0 4, calls1 7", false},
		"of a topic":                  {Query{Topic: "parley.messages"}, "messages0 0", false},
		"of a stream":                 {Query{Stream: "parley.calls-1"}, "calls1 3, calls1 7", false},
		"of a stream, newest first":   {Query{Stream: "parley.calls-1", Descending: true}, "calls1 7, calls1 3", false},
		"of a stream, the first":      {Query{Stream: "parley.calls-1", Limit: 1}, "calls1 3", true},
		"of a type in any version":    {Query{Type: "parley.calls.answered"}, "calls0 3, calls0 4, calls1 7", false},
		"of a type in one version":    {Query{Type: "parley.calls.answered.v2"}, "calls0 4", false},
		"from then on":                {Query{Since: given.Second(40)}, "calls0 4, calls1 7", false},
		"until before":                {Query{Until: given.Second(30)}, "calls0 3, calls1 3", false},
		"of a request":                {Query{Correlation: "tr-1"}, "calls0 3, calls1 7", false},
		"of a stream, and a request":  {Query{Correlation: "tr-1", Stream: "parley.calls-1"}, "calls1 7", false},
		"of a request, from then on":  {Query{Correlation: "tr-1", Since: given.Second(11)}, "calls1 7", false},
		"behind a position":           {Query{From: Positions{calls0: 4, calls1: 4}}, "messages0 0, calls0 4, calls1 7", false},
		"of a stream, from there":     {Query{Stream: "parley.calls-1", From: Positions{calls1: 4}}, "calls1 7", false},
		"before a position":           {Query{Descending: true, From: Positions{calls1: 7}}, "calls1 3", false},
		"nobody's":                    {Query{Tenant: "initech"}, "", false},
		"another tenant's":            {Query{Tenant: "globex"}, "calls0 5, messages0 9", false},
		"another tenant's by request": {Query{Tenant: "globex", Correlation: "tr-1"}, "calls0 5", false},
	} {
		t.Run(name, func(t *testing.T) {
			if c.q.Tenant == "" {
				c.q.Tenant = "acme"
			}
			if c.q.Limit == 0 {
				c.q.Limit = 10
			}
			page := x.read(c.q)
			require.Equal(t, c.want, places(page))
			require.Equal(t, c.more, page.More)
		})
	}
}

// Whatever is written while somebody reads on, nothing is missed and nothing comes twice:
// also not what came late, with a time that has been passed.
func TestPagesFollowOneAnotherWhileEventsAreWritten(t *testing.T) {
	for order, want := range map[string]string{
		"oldest first": "calls0 0, calls1 0 | messages0 0, calls1 1 | calls0 5, calls0 6",
		"newest first": "calls1 1, messages0 0 | calls1 0, calls0 0",
	} {
		t.Run(order, func(t *testing.T) {
			x := newIndex(t)
			x.given(happened(calls0, 0, 10), happened(calls1, 0, 20), happened(messages0, 0, 30), happened(calls1, 1, 40))
			q := Query{Tenant: "acme", Limit: 2, Descending: order == "newest first"}
			var pages []string
			for more := true; more; {
				page := x.read(q)
				pages = append(pages, places(page))
				if len(pages) == 1 {
					x.given(happened(calls0, 5, 41), happened(calls0, 6, 15))
				}
				q.From, more = page.Next, page.More
			}
			require.Equal(t, want, strings.Join(pages, " | "))
		})
	}
}

func TestAPageEndsWhereItsBytesAreEnough(t *testing.T) {
	x := newIndex(t)
	sized := func(n int) func(*eventstore.Record) {
		return func(r *eventstore.Record) { r.Data = []byte(strings.Repeat("x", n)) }
	}
	x.given(happened(calls0, 0, 10, sized(500)), happened(calls1, 0, 20, sized(60)), happened(calls0, 1, 30, sized(40)),
		happened(calls0, 2, 40, sized(1)))
	q := Query{Tenant: "acme", Limit: 10, MaxBytes: 100}
	for _, want := range []struct {
		places string
		more   bool
	}{
		{"calls0 0", true}, // the first one is given whatever it has
		{"calls1 0, calls0 1", true},
		{"calls0 2", false},
	} {
		page := x.read(q)
		require.Equal(t, want.places, places(page))
		require.Equal(t, want.more, page.More)
		q.From = page.Next
	}
}

// A question that hardly anything fits does not read a whole history: a page says how far
// it came, and the next one goes on there.
func TestAPageLooksAtTenThousandEventsOfAPartition(t *testing.T) {
	x := newIndex(t)
	x.exec(`INSERT INTO events SELECT 'call-1', n + 1, 'parley.calls', 0, n, gen_random_uuid(), CASE n WHEN 10000 THEN 'wanted'
		ELSE 'other' END,
		now(), 'acme', '', '', gen_random_uuid(), 0, 1, '', '', '', '', '', '', '' FROM generate_series(0, 10000) n`)
	q := Query{Tenant: "acme", Type: "wanted", Limit: 5}
	require.Equal(t, Page{Next: Positions{calls0: 10_000}, More: true}, x.read(q))
	q.From = Positions{calls0: 10_000}
	page := x.read(q)
	require.Equal(t, "calls0 10000", places(page))
	require.False(t, page.More)

	q = Query{Tenant: "acme", Type: "wanted", Limit: 5, Descending: true}
	page = x.read(q)
	require.Equal(t, "calls0 10000", places(page))
	require.Equal(t, Positions{calls0: 1}, page.Next, "backward a position is the last one that was looked at")
	require.True(t, page.More)
}

func TestWhereTheEventsOfATenantEnd(t *testing.T) {
	x := newIndex(t)
	x.given(happened(calls0, 3, 10), happened(calls0, 4, 5), happened(calls1, 0, 20), happened(calls0, 9, 30, ofTenantNamed("globex")))
	for tenant, want := range map[string]Positions{"acme": {calls0: 5, calls1: 1}, "globex": {calls0: 10}, "initech": {}} {
		got, err := x.Newest(t.Context(), tenant)
		require.NoError(t, err)
		require.Equal(t, want, got, tenant)
	}
}

// A position that the read models have not come to is of a log that was longer.
func TestWhetherTheLogHasBeenAtAPosition(t *testing.T) {
	x := newIndex(t)
	x.projected(sink.Live, calls0, 10)
	x.projected(sink.Live, calls1, 20)
	x.projected("rebuild of calls", messages0, 99)
	for name, c := range map[string]struct {
		at   Positions
		want bool
	}{
		"nowhere":                      {nil, true},
		"before the end":               {Positions{calls0: 9}, true},
		"at the end":                   {Positions{calls0: 10, calls1: 20}, true},
		"behind the end":               {Positions{calls0: 11}, false},
		"one of two behind the end":    {Positions{calls0: 10, calls1: 21}, false},
		"where nothing was projected":  {Positions{messages0: 0}, false},
		"where another one projects":   {Positions{messages0: 99}, false},
		"a partition that there isn't": {Positions{{"parley.calls", 7}: 0}, false},
	} {
		got, err := x.Reached(t.Context(), c.at)
		require.NoError(t, err)
		require.Equal(t, c.want, got, name)
	}
}

// What was picked and is gone when it is read is not left out of an answer: the index was
// emptied meanwhile, and the gate says so.
func TestAnIndexThatWasEmptiedMeanwhileAnswersNothing(t *testing.T) {
	x := newIndex(t)
	x.gate = shut{context.DeadlineExceeded}
	x.given(happened(calls0, 3, 10), happened(calls1, 0, 20))
	for name, gone := range map[string]pick{"of another topic": {Partition{"parley.messages", 0}, 3}, "of another partition": {calls1, 3},
		"at another offset": {calls0, 4}} {
		_, err := x.fetch(t.Context(), Query{Tenant: "acme", MaxBytes: 100}, []pick{gone})
		require.ErrorIs(t, err, context.DeadlineExceeded, name)
		_, err = x.fetch(t.Context(), Query{Tenant: "acme", MaxBytes: 100}, []pick{gone, {calls0, 3}})
		require.ErrorIs(t, err, context.DeadlineExceeded, "%s, and one that is there", name)
	}
	events, err := x.fetch(t.Context(), Query{Tenant: "acme", MaxBytes: 100}, []pick{{calls1, 0}, {calls0, 3}})
	require.NoError(t, err)
	require.Equal(t, "calls1 0, calls0 3", places(Page{Events: events}), "in the order in which they were picked")
}

func TestWhatCannotBeReadSaysWhatWasBeingDone(t *testing.T) {
	x := newIndex(t)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for doing, do := range map[string]func() error{
		"looking for events":                    func() error { _, err := x.Read(over, Query{Tenant: "acme", Limit: 1}); return err },
		"reading events":                        func() error { _, err := x.fetch(over, Query{}, []pick{{calls0, 0}}); return err },
		"reading where the tenant's events end": func() error { _, err := x.Newest(over, "acme"); return err },
		"reading the checkpoints":               func() error { _, err := x.Reached(over, Positions{}); return err },
		"looking for news": func() error {
			_, err := x.withNews(over, []string{"acme"}, []Partition{calls0}, nil, Positions{})
			return err
		},
	} {
		err := do()
		require.ErrorIs(t, err, context.Canceled, doing)
		require.ErrorContains(t, err, doing+": ")
	}
}
