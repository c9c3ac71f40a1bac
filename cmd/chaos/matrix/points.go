package matrix

import (
	"context"
	_ "embed"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Source is the file that is laid into package eventstore of the build under test: it asks at
// each commit whether it may go on.
//
//go:embed points.go.txt
var Source string

// Where Source is asked, as changes of the store's own source.
const (
	SourceFile = "eventstore/reached.go"
	AskedFrom  = "eventstore/execute.go"
)

// Asks are the texts of AskedFrom and what the build has in their place.
var Asks = [][2]string{
	{"\tack, err := x.s.producer.Append(", "\treached(\"before\", c.records)\n\tack, err := x.s.producer.Append("},
	{"\tif due := e.settle(", "\treached(\"after\", c.records)\n\tif due := e.settle("},
}

// Place is between which two steps of a turn its node dies.
type Place struct {
	When string // before a commit is appended, after it counts, asked: when a tool was asked and has not answered; empty: nowhere
	Nth  int    // of the commits that are made for the turn, or of the requests that its tools get, from 1
}

// The kinds of places.
const (
	before = "before"
	after  = "after"
	asked  = "asked" // of a message of a channel: when its provider has taken it
)

// points holds whoever comes to the place where its node is to die, and lets all others go on.
type points struct {
	url    string
	server *http.Server

	mu    sync.Mutex
	known sync.Cond
	of    map[string]*turn // by stream, and by the request that it began with
	over  bool             // nobody is held any more
	last  time.Time        // when somebody asked
	free  chan struct{}    // closed when the held go on
}

func newPoints() (*points, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &points{url: "http://" + l.Addr().String(), of: map[string]*turn{}, free: make(chan struct{})}
	p.known.L = &p.mu
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = p.server.Serve(l) }()
	return p, nil
}

// watch counts what is done for a turn from now on: in its stream, and because of its request.
func (p *points) watch(t *turn, keys ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, key := range keys {
		p.of[key] = t
	}
	p.known.Broadcast()
}

// kept are the streams in which a place may be: each belongs to one turn. In others, as at the
// desk of a person, who is held would hold others up.
var kept = []string{"session-", "transfer-", "conversation-", "memory-", "call-", "thread-"}

// ServeHTTP is asked by Source.
func (p *points) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	when, stream, commit := r.Form.Get("when"), r.Form.Get("stream"), r.Form.Get("commit")
	if !slices.ContainsFunc(kept, func(prefix string) bool { return strings.HasPrefix(stream, prefix) }) {
		return
	}
	p.mu.Lock()
	p.last = time.Now()
	t := p.turnOf(stream, r.Form.Get("correlation"), r.Form["type"])
	if t == nil {
		p.mu.Unlock()
		return
	}
	nth, counted := t.commits[commit]
	if !counted {
		nth = len(t.commits) + 1
		t.commits[commit] = nth
		t.steps = append(t.steps, stream[:strings.IndexByte(stream, '-')]+" "+names(r.Form["type"]))
	}
	if when == after {
		t.counted[nth] = true
	}
	p.mu.Unlock()
	p.hold(r.Context(), t, Place{when, nth})
}

// turnOf is whose commit it is. The first of a call is made before its request is answered, and
// the later ones wait until it is known whose they are.
func (p *points) turnOf(stream, request string, types []string) *turn {
	look := func() *turn {
		if t := p.of[request]; t != nil {
			return t
		}
		t := p.of[stream]
		if t != nil && request != "" {
			p.of[request] = t
		}
		return t
	}
	t := look()
	if !strings.HasPrefix(stream, "call-") || strings.Contains(types[0], ".requested.") {
		return t
	}
	timer := time.AfterFunc(2*time.Second, p.known.Broadcast)
	defer timer.Stop()
	for deadline := time.Now().Add(2 * time.Second); t == nil && time.Now().Before(deadline); t = look() {
		p.known.Wait()
	}
	return t
}

// hold waits where a turn is to be left, until its node is dead or all go on.
func (p *points) hold(ctx context.Context, t *turn, at Place) {
	p.mu.Lock()
	if p.over || t.place != at {
		p.mu.Unlock()
		return
	}
	if !t.held {
		t.held = true
		close(t.there)
	}
	p.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-p.free:
	}
}

// quiet is for how long nobody has asked.
func (p *points) quiet() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.last)
}

// pass holds nobody any more who comes later.
func (p *points) pass() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
}

// release lets those go on that are held.
func (p *points) release() { close(p.free) }

func (p *points) close() { _ = p.server.Close() }

// names are event types without what all have.
func names(types []string) string {
	var out []string
	for _, t := range types {
		parts := strings.Split(t, ".")
		if len(parts) == 4 {
			t = parts[2]
		}
		out = append(out, t)
	}
	return strings.Join(out, "+")
}
