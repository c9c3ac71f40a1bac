package node

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
)

const (
	// attempt is how long one try to open the log may take.
	attempt = time.Minute
	// between tries, and between the lines that say that it is still waited for.
	retryAfter, sayAgain = time.Second, 30 * time.Second
)

// reachLog opens the log on brokers that may not be there yet, as when a whole system
// is switched on, or answer too late: it is waited for, without end, and health says so meanwhile. What
// waiting does not mend (a login, a certificate, topics of another log) fails at once.
func (n *Node) reachLog(ctx context.Context) error {
	err := n.tryLog(ctx)
	if !kafka.Away(err) || ctx.Err() != nil {
		return err
	}
	w := &waiting{brokers: strings.Join(n.cfg.KafkaBrokers, ","), since: time.Now().UTC(), last: err}
	stop := n.serveWaiting(w)
	defer stop()
	n.log.Warn("waiting for Kafka; this node is not ready", "kafka", w.brokers, "error", err)
	for said := time.Now(); ; {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for Kafka at %s: %w", w.brokers, ctx.Err())
		case <-time.After(retryAfter):
		}
		err := n.tryLog(ctx)
		if err == nil {
			n.log.Info("Kafka is there", "kafka", w.brokers, "after", time.Since(w.since).Round(time.Millisecond).String())
			return nil
		}
		if ctx.Err() == nil && !kafka.Away(err) {
			return err
		}
		w.failed(err)
		if time.Since(said) > sayAgain {
			said = time.Now()
			n.log.Warn("still waiting for Kafka", "kafka", w.brokers, "since", w.since, "error", err)
		}
	}
}

// openOwn opens the log on the broker of this process: it is there, and on a machine that is too
// busy it answers late.
func (n *Node) openOwn(ctx context.Context) error {
	for {
		err := n.tryLog(ctx)
		if !kafka.Late(err) || ctx.Err() != nil {
			return err
		}
		n.log.Warn("the broker of this node answers late; the log is opened further", "error", err)
	}
}

func (n *Node) tryLog(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, attempt)
	defer cancel()
	if err := n.kafka.Open(ctx, catalog.Categories()); err != nil {
		return fmt.Errorf("opening the log: %w", err)
	}
	return nil
}

// waiting is what is waited for.
type waiting struct {
	brokers string
	since   time.Time

	mu   sync.Mutex
	last error
}

func (w *waiting) failed(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = err
}

// part is how /readyz shows it.
func (w *waiting) part(context.Context) []rest.Part {
	w.mu.Lock()
	defer w.mu.Unlock()
	return []rest.Part{{Name: "kafka", Detail: map[string]any{
		"state": "waiting for Kafka", "brokers": w.brokers, "since": w.since, "error": w.last.Error()}}}
}

// serveWaiting answers on the node's address until it is stopped: it lives, it is not
// ready, its metrics say so, and whatever else is asked is CATCHING_UP.
func (n *Node) serveWaiting(w *waiting) (stop func()) {
	until := prometheus.NewRegistry() // of its own: the API that comes then measures the same
	api := rest.New(rest.Config{Ready: w.part, Log: n.log, Measure: until,
		Metrics:   promhttp.HandlerFor(prometheus.Gatherers{n.registry, until}, promhttp.HandlerOpts{}),
		Elsewhere: fault.New(fault.CatchingUp, "this node waits for Kafka").After(time.Second)})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	lent := &lentListener{Listener: n.listener}
	go func() {
		defer close(done)
		if err := api.Serve(ctx, lent); err != nil {
			n.log.Warn("health is not served while Kafka is waited for", "error", err)
		}
	}()
	return func() {
		cancel()
		<-done
		lent.giveBack()
	}
}

// lentListener is a listener for a while: its Close ends the accepting and leaves the
// address taken, so that who connects meanwhile waits for the next who accepts.
type lentListener struct{ net.Listener }

type deadliner interface{ SetDeadline(time.Time) error }

// Close implements net.Listener.
func (l *lentListener) Close() error {
	if d, ok := l.Listener.(deadliner); ok {
		return d.SetDeadline(time.Now())
	}
	return nil
}

func (l *lentListener) giveBack() {
	if d, ok := l.Listener.(deadliner); ok {
		_ = d.SetDeadline(time.Time{})
	}
}
