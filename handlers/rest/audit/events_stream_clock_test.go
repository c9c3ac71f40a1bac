package audit_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/sealed"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/audit"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/handlers/rest/tokens"
	read "github.com/parley-platform/parley/projections/audit"
)

// Here the clock is the test's, so what takes a quarter of a minute takes no time.

// reader takes what is written to it, and notes how long it may take for each piece.
type reader struct {
	mu       sync.Mutex
	header   http.Header
	text     bytes.Buffer
	largest  int
	patience []time.Duration
	stuck    error // what a write is answered
	gone     error // what a flush is answered
}

func (r *reader) Header() http.Header { return r.header }
func (r *reader) WriteHeader(int)     {}

func (r *reader) Write(data []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stuck != nil {
		return 0, r.stuck
	}
	r.largest = max(r.largest, len(data))
	return r.text.Write(data)
}

func (r *reader) FlushError() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gone
}

func (r *reader) SetReadDeadline(time.Time) error { return nil }

func (r *reader) SetWriteDeadline(t time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.patience = append(r.patience, time.Until(t))
	return nil
}

// fails lets what is written, or sent, fail from now on.
func (r *reader) fails(what *error, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*what = errors.New(why)
}

// took is what came since took was called last; ids are shown as id.
func (r *reader) took() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.text.Reset()
	lines := strings.Split(strings.TrimSpace(r.text.String()), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "id: ") {
			lines[i] = "id"
		}
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), "\n\n", " | ")
}

// listening is an API whose streams a test reads by its own clock.
type listening struct {
	*resttest.World
	*livePages
	t       *testing.T
	metrics *prometheus.Registry
	gate    error
}

func listen(t *testing.T, change ...func(*audit.EventsAPI, *listening)) *listening {
	t.Helper()
	x := &listening{t: t, livePages: &livePages{index: &index{log: "log-1"}, bell: quiet()}, metrics: prometheus.NewRegistry()}
	x.World = resttest.NewWorld(t, func(c *rest.Config) {
		c.Directory, c.Now, c.Measure, c.Gate = x, time.Now, x.metrics, x.mayServe
	})
	x.World.Now = time.Now()
	crm := x.Clients["acme/crm"]
	crm.Permissions = []access.Permission{access.PermAuditRead}
	x.Clients["acme/crm"] = crm
	mac := func(string, ...string) []byte { return bytes.Repeat([]byte("m"), 32) }
	e := audit.EventsAPI{Audit: x.livePages, MAC: mac, PerTenant: 1}
	for _, c := range change {
		c(&e, x)
	}
	audit.DeclareEvents(x.Api, e)
	return x
}

func (x *listening) mayServe() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.gate
}

// Client finds a client while a test may change them.
func (x *listening) Client(ctx context.Context, tenant, client string) (tokens.ClientRecord, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.World.Client(ctx, tenant, client)
}

// change changes what the API asks, while it may be asking.
func (x *listening) change(how func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	how()
}

// forget takes the client of the streams away.
func (x *listening) forget() { x.change(func() { delete(x.Clients, "acme/crm") }) }

// may is what the client of the streams may from now on.
func (x *listening) may(permissions ...access.Permission) {
	x.change(func() {
		crm := x.Clients["acme/crm"]
		crm.Permissions = permissions
		x.Clients["acme/crm"] = crm
	})
}

// open begins a stream, whose token is good for an hour; left is closed at its end.
func (x *listening) open(r *reader) (leave func(), left chan struct{}) {
	x.t.Helper()
	ctx, cancel := context.WithCancel(x.t.Context())
	request := httptest.NewRequestWithContext(ctx, http.MethodGet, path+"/stream", nil)
	request.Header.Set("auth", x.Token(func(g *tokens.Grant) {
		g.Permissions = []access.Permission{access.PermAuditRead, access.PermPersonalRead}
	}))
	r.header, left = http.Header{}, make(chan struct{})
	go func() { defer close(left); x.Api.ServeHTTP(r, request) }()
	synctest.Wait()
	return cancel, left
}

// readers is what the metric says.
func (x *listening) readers() float64 {
	x.t.Helper()
	families, err := x.metrics.Gather()
	require.NoError(x.t, err)
	for _, f := range families {
		if f.GetName() == "parley_event_streams" {
			return f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	require.Fail(x.t, "there is no such metric")
	return 0
}

const (
	begun = "retry: 2000 | id"
	lives = ": still here\nid"
)

func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestAStreamShowsFourTimesAMinuteThatItLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, r := listen(t), &reader{}
		leave, left := x.open(r)
		require.Equal(t, begun, r.took())
		require.Equal(t, "close", r.header.Get("Connection"))
		require.Equal(t, 1.0, x.readers())
		for range 3 {
			pass(14 * time.Second)
			require.Empty(t, r.took())
			pass(time.Second)
			require.Equal(t, lives, r.took())
		}
		leave()
		<-left
		require.Zero(t, x.readers())
		for _, patience := range r.patience {
			require.Equal(t, 20*time.Second, patience, "a reader that takes nothing for so long is cut off")
		}
	})
}

// Without the bell a stream looks when it shows that it lives; while pages are full it does
// not wait.
func TestAStreamReadsOnUntilThereIsNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, r := listen(t), &reader{}
		leave, left := x.open(r)
		r.took()
		large := `{"text":"` + strings.Repeat("a", 200_000) + `"}`
		x.change(func() {
			x.pages = []read.Page{{Events: []*eventstore.Record{recorded(40, `{"n":1}`), recorded(41, `{"n":2}`)}, Next: at(42), More: true},
				{Next: at(50), More: true}, {Events: []*eventstore.Record{recorded(50, large)}, Next: at(51)}}
		})
		pass(15 * time.Second)
		require.Equal(t, 64<<10, r.largest, "a slow reader of a large event is one that takes it, if slowly")
		lines := strings.Split(r.took(), "\n")
		require.Equal(t, []string{": still here", "id | id", "event: parley.calls.answered.v1"}, lines[:3])
		require.Contains(t, lines[3], `"data":{"n":1}`)
		require.Contains(t, lines[3], ` | id`, "an empty line ends an event")
		require.Len(t, lines, 8)
		require.Contains(t, lines[7], large)
		leave()
		<-left
	})
}

// busy has more to read each time, and takes four seconds to read it.
type busy struct{ *livePages }

func (b busy) Read(ctx context.Context, q read.Query) (read.Page, error) {
	time.Sleep(4 * time.Second)
	return read.Page{Events: []*eventstore.Record{recorded(1, `{}`)}, Next: at(2), More: true}, ctx.Err()
}

// A stream that never comes to its end shows that it lives, looks at its credential and ends
// as any other.
func TestAStreamThatIsBusyIsLookedAfterToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, r := listen(t, func(e *audit.EventsAPI, x *listening) { e.Audit = busy{x.livePages} }), &reader{}
		_, left := x.open(r)
		pass(17 * time.Second)
		require.Equal(t, 1, strings.Count(r.took(), ": still here"))
		x.forget()
		<-left
		require.Contains(t, r.took(), ": the credential does not hold any more")
	})
}

// What happens when a credential holds no more is not for who had it: a stream does not tell it and then look.
func TestAStreamTellsNothingBehindTheEndOfItsCredential(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, r := listen(t, func(e *audit.EventsAPI, x *listening) { e.Audit = busy{x.livePages} }), &reader{}
		_, left := x.open(r)
		pass(5 * time.Second)
		require.Equal(t, 1, strings.Count(r.took(), "event: "))
		x.forget()
		pass(4 * time.Second)
		<-left
		require.Equal(t, ": the credential does not hold any more", r.took())
	})
}

// personal is an event with what somebody said, sealed with a key that is gone.
func personal(t *testing.T, offset int64) *eventstore.Record {
	t.Helper()
	r := recorded(offset, "")
	r.Type, r.KeyID = "parley.calls.heard.v1", lostKey{}.String()
	data, err := sealed.Seal([]byte(`{"text":"my address"}`), calls.Calls.Newest(r.Type), r.ID, lostKey{})
	require.NoError(t, err)
	r.Data = data
	return r
}

// lostKey is no key that anybody has.
type lostKey struct{}

func (lostKey) OfStream() (sealed.Key, error)                                        { return sealed.Key{}, nil }
func (lostKey) Own() (sealed.Key, error)                                             { return sealed.Key{}, nil }
func (lostKey) Take(context.Context) (sealed.Key, error)                             { return sealed.Key{}, nil }
func (lostKey) Find(context.Context, []sealed.ID) (map[sealed.ID]*sealed.Key, error) { return nil, nil }
func (lostKey) String() string                                                       { return sealed.ID{}.String() }

// What a client may see is asked anew as well: personal:read may be taken from it while its stream goes on.
func TestAStreamShowsWhatIsPersonalOnlyWhileItMay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, r := listen(t, func(e *audit.EventsAPI, _ *listening) { e.Keys = lostKey{} }), &reader{}
		x.may(access.PermAuditRead, access.PermPersonalRead)
		leave, left := x.open(r)
		x.change(func() { x.pages = []read.Page{{Events: []*eventstore.Record{personal(t, 40)}, Next: at(41)}} })
		pass(15 * time.Second)
		require.Contains(t, r.took(), `"text":"[erased]"`, "it was looked for")
		x.may(access.PermAuditRead)
		x.change(func() { x.pages = []read.Page{{Events: []*eventstore.Record{personal(t, 41)}, Next: at(42)}} })
		pass(15 * time.Second)
		require.Contains(t, r.took(), `"text":"[sealed]"`)
		leave()
		<-left
	})
}

func TestWhatEndsAStream(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(*listening, *reader)
		within  time.Duration
		last    string
	}{
		"its token ends": {func(*listening, *reader) { pass(time.Hour) }, 45 * time.Second, // clocks may disagree by half a minute
			": the credential does not hold any more"},
		"its client is no more": {func(x *listening, _ *reader) { x.forget() }, 15 * time.Second,
			": the credential does not hold any more"},
		"the reader is cut off":    {func(_ *listening, r *reader) { r.fails(&r.stuck, "i/o timeout") }, 15 * time.Second, ""},
		"the reader cannot be had": {func(_ *listening, r *reader) { r.fails(&r.gone, "broken pipe") }, 15 * time.Second, lives},
		"an event that is no JSON": {func(x *listening, _ *reader) {
			x.change(func() { x.pages = []read.Page{{Events: []*eventstore.Record{recorded(40, `{`)}, Next: at(41)}} })
		}, 15 * time.Second, lives},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x, r := listen(t), &reader{}
				_, left := x.open(r)
				c.happens(x, r)
				r.took()
				pass(c.within)
				select {
				case <-left:
				default:
					require.Fail(t, "the stream goes on")
				}
				require.True(t, strings.HasSuffix(r.took(), c.last))
				require.Zero(t, x.readers(), "its place is free")
				leave, again := x.open(&reader{})
				require.NotNil(t, leave)
				leave()
				<-again
			})
		})
	}
}

// silent is a listener that nobody calls.
type silent struct{ closed chan struct{} }

func (s silent) Accept() (net.Conn, error) { <-s.closed; return nil, net.ErrClosed }
func (s silent) Close() error              { close(s.closed); return nil }
func (silent) Addr() net.Addr              { return &net.TCPAddr{} }

func TestAStreamEndsWithItsNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, r := listen(t), &reader{}
		_, left := x.open(r)
		node, stop := context.WithCancel(t.Context())
		stopped := make(chan error)
		go func() { stopped <- x.Api.Serve(node, silent{make(chan struct{})}) }()
		stop()
		<-left
		require.NoError(t, <-stopped)
	})
}

// While nothing may be served a stream is silent but for its signs of life, and tells it all
// when it may: no event is lost, and none is told from read models that are not complete.
func TestAStreamWaitsWhileTheReadModelsCatchUp(t *testing.T) {
	unserved := fault.New(fault.CatchingUp, "the read models catch up")
	for name, shut := range map[string]func(*listening){
		"the gate is shut":          func(x *listening) { x.gate = unserved },
		"the index cannot be asked": func(x *listening) { x.failure = unserved },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x, r := listen(t), &reader{}
				leave, left := x.open(r)
				r.took()
				page := read.Page{Events: []*eventstore.Record{recorded(40, `{"n":1}`)}, Next: at(41), More: true}
				x.change(func() { shut(x); x.pages = []read.Page{page, page} })
				pass(15 * time.Second)
				require.Equal(t, lives, r.took())
				x.change(func() { x.gate, x.failure = nil, nil })
				pass(15 * time.Second)
				require.Contains(t, r.took(), `"data":{"n":1}`)
				leave()
				<-left
			})
		})
	}
}
