// Package sockets has what answers that are WebSockets have in common: how one is declared as an
// operation, who may open it from which page, how much may be said at once, how many are open on a
// node, and how they end: by the other side, with the credential, with the node, or because
// nobody reads. What is said on a socket is said by whoever serves it, and never by this package.
//
// A socket costs a goroutine that reads, whose stack is small since nothing was asked on it before, and one that writes
// while there is something to write. Of the request that opened it nothing is kept but who asked, by which credential.
// No socket has a timer: one ticker looks after all of them.
package sockets

import (
	"cmp"
	"context"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/eventstream"
)

// MaxMessage is how many bytes a message of the other side may have.
const MaxMessage = 64 << 10

// Config bounds the sockets of a node.
type Config struct {
	Beat      time.Duration // after which it is asked whether somebody is there, and may be; 0: 30 s
	Patience  time.Duration // with a message that is not taken; 0: 10 s
	Waiting   int           // bytes that may wait to be taken; 0: 256 KiB
	PerTenant int           // 0: 5,000
	PerNode   int           // 0: 10,000
	Measure   prometheus.Registerer
	Log       *slog.Logger

	// Watch has ring called, which does not wait, when what a caller's credential rests on may have changed: within a tenth of
	// Patience or of Beat it is looked at. Nil, or a nil stop: with each Beat alone.
	Watch func(p access.Principal, ring func()) (stop func(), err error)
}

// Sockets are those of a node.
type Sockets struct {
	cfg    Config
	places eventstream.Places
	open   *prometheus.GaugeVec
	frames *prometheus.CounterVec
	closed *prometheus.CounterVec

	mu     sync.Mutex
	kept   map[*Socket]allowed
	keeper bool // the ticker runs
}

// allowed asks whether the credential of a socket still holds.
type allowed func(context.Context) error

// New are none yet.
func New(cfg Config) *Sockets {
	cfg.Beat, cfg.Patience = cmp.Or(cfg.Beat, 30*time.Second), cmp.Or(cfg.Patience, 10*time.Second)
	cfg.Waiting, cfg.Log = cmp.Or(cfg.Waiting, 256<<10), cmp.Or(cfg.Log, slog.Default())
	s := &Sockets{cfg: cfg, kept: map[*Socket]allowed{}, places: eventstream.Places{Of: "sockets",
		PerTenant: cmp.Or(cfg.PerTenant, 5_000), PerNode: cmp.Or(cfg.PerNode, 10_000)},
		open: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "parley_sockets", Help: "WebSockets that are open on this node, by operation."},
			[]string{"parley_operation"}),
		frames: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "parley_socket_messages_total",
			Help: "Messages on WebSockets, by operation and direction (in, out)."}, []string{"parley_operation", "direction"}),
		closed: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "parley_sockets_closed_total",
			Help: "WebSockets that ended, by operation and code (RFC 6455)."}, []string{"parley_operation", "code"}),
	}
	if cfg.Measure != nil {
		cfg.Measure.MustRegister(s.open, s.frames, s.closed)
	}
	return s
}

// Serve talks on a socket until one of the two has enough; it closes the socket, or Done is said for
// it. The context ends with the socket, and so not what has to be done to its end.
type Serve func(ctx context.Context, s *Socket)

// keep looks after a socket until it is let go.
func (s *Sockets) keep(x *Socket, may allowed) (letGo func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.pinged = time.Now()
	s.kept[x] = may
	if !s.keeper {
		s.keeper = true
		go s.lookAfterAll()
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.kept, x)
	}
}

// lookAfterAll looks at all sockets again and again while there are any.
func (s *Sockets) lookAfterAll() {
	tick := time.NewTicker(max(min(s.cfg.Beat, s.cfg.Patience)/10, time.Millisecond))
	defer tick.Stop()
	for now := range tick.C {
		s.mu.Lock()
		if len(s.kept) == 0 {
			s.keeper = false
			s.mu.Unlock()
			return
		}
		for x, may := range s.kept {
			s.lookAfter(x, may, now)
		}
		s.mu.Unlock()
	}
}

// lookAfter cuts a socket that takes nothing, or does not answer, and asks the others, each when it
// is its time.
func (s *Sockets) lookAfter(x *Socket, may allowed, now time.Time) {
	x.mu.Lock()
	stuck := !x.since.IsZero() && now.Sub(x.since) > s.cfg.Patience
	due := now.Sub(x.pinged) >= s.cfg.Beat
	silent := due && x.awaiting
	if (due || x.doubted && !x.awaiting) && !silent && x.closing == nil {
		x.pinged, x.awaiting, x.doubted = now, true, false
		go s.ask(x, may)
	}
	x.mu.Unlock()
	switch {
	case stuck:
		go x.cut(TooSlow, "what is sent is not read")
	case silent:
		go x.cut(TooSlow, "nobody answers")
	}
}

// ask asks whether somebody is there, and may be. It ends with the connection at the latest.
func (s *Sockets) ask(x *Socket, may allowed) {
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.Patience)
	defer cancel()
	if x.Gone(may(ctx)) {
		return
	}
	if x.conn.Ping(context.Background()) == nil {
		x.mu.Lock()
		x.awaiting = false
		x.mu.Unlock()
	}
}

// watch has a socket asked whether it may still be when that may have changed: who only listens would hear of it much later.
func (s *Sockets) watch(ctx context.Context, x *Socket) (stop func()) {
	if s.cfg.Watch == nil {
		return func() {}
	}
	stop, err := s.cfg.Watch(rest.PrincipalOf(ctx), func() {
		x.mu.Lock()
		x.doubted = true
		x.mu.Unlock()
	})
	if err != nil {
		rest.Logger(ctx).Warn("what a socket's credential rests on is not watched", "requestId", rest.CorrelationID(ctx), "error", err)
	}
	if stop == nil {
		return func() {}
	}
	return stop
}

// measured is a socket's operation as metrics name it.
func (s *Sockets) measured(x *Socket, operation string) (ended func()) {
	open, in, out := s.open.WithLabelValues(operation), s.frames.WithLabelValues(operation, "in"), s.frames.WithLabelValues(operation, "out")
	x.seen = func(direction string) {
		if direction == "in" {
			in.Inc()
			return
		}
		out.Inc()
	}
	x.gone = func(code Code, why string) {
		s.closed.WithLabelValues(operation, codeLabel(code)).Inc()
		s.cfg.Log.Debug("a socket closes", "operation", operation, "code", int(code), "why", why)
	}
	open.Inc()
	return open.Dec
}

// codeLabel keeps codes that the other side makes up out of labels.
func codeLabel(code Code) string {
	if code < 1000 || code > 1014 {
		return "other"
	}
	return strconv.Itoa(int(code))
}
