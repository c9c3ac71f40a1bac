package matrix

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// tools is the server that the agents' tools ask. It lives through all that is killed, and keeps a
// log of its own.
type tools struct {
	url    string
	server *http.Server
	points *points
	reply  func(ctx context.Context, callback string)

	mu       sync.Mutex
	requests map[string][]request // by case
	turns    map[string]*turn
}

// request is one that came in.
type request struct{ Path, Method, Key string }

func newTools(ctx context.Context, p *points, reply func(ctx context.Context, callback string)) (*tools, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &tools{url: "http://" + l.Addr().String(), points: p, reply: reply, requests: map[string][]request{}, turns: map[string]*turn{}}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() { _ = s.server.Serve(l) }()
	return s, nil
}

func (s *tools) knows(t *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns[t.name] = t
}

// ServeHTTP notes a request and answers it. What is answered later is answered at once as well: an
// answer may be there before anybody waits for it.
func (s *tools) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the node died while it asked
	}
	name := r.URL.Query().Get("case")
	s.mu.Lock()
	s.requests[name] = append(s.requests[name], request{r.URL.Path, r.Method, r.Header.Get("Idempotency-Key")})
	t, nth := s.turns[name], len(s.requests[name])
	s.mu.Unlock()
	if t != nil {
		s.points.hold(r.Context(), t, Place{asked, nth})
	}
	var said struct{ Notify string }
	if json.Unmarshal(body, &said) == nil && said.Notify != "" {
		go s.reply(context.WithoutCancel(r.Context()), said.Notify)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"n":2}`)
}

// log is what was asked for a case.
func (s *tools) log(name string) []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]request(nil), s.requests[name]...)
}

func (s *tools) close() { _ = s.server.Close() }
