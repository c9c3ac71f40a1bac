package reactors

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/segmentio/kafka-go"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
)

// Where the subscriber says the record stood (see Config.Subscribe).
const (
	metadataTopic     = "kafka_topic"
	metadataPartition = "kafka_partition"
	metadataOffset    = "kafka_offset"
	metadataKey       = "kafka_key"
)

const headerType = "ce_type"

// handling is one reactor on one topic: the way of one message.
type handling struct {
	cfg      Config
	reactor  Reactor
	route    route
	accepted acceptedOnly
	metrics  *routerMetrics
	tries    *attempts
	closing  <-chan struct{}
	log      *slog.Logger
}

// receive acks a message by returning, after having nacked it if it has to come
// again. It never returns an error: Watermill would log it without knowing what it
// means.
func (h *handling) receive(m *message.Message) error {
	if !h.route.handles(m.Metadata[headerType]) {
		h.count(outcomeSkipped)
		return nil
	}
	r, err := recordOf(m)
	if err != nil { // the accept rule skips it just so
		h.count(outcomeMalformed)
		h.log.Warn("malformed record skipped", "error", err)
		return nil
	}
	if h.reactor.Only != nil && !h.reactor.Only(r) {
		h.count(outcomeSkipped)
		return nil
	}
	inFlight := h.metrics.inFlight.WithLabelValues(h.reactor.Name)
	inFlight.Inc()
	defer inFlight.Dec()
	ctx := correlate(m.Context(), h.log, r)
	held, err := h.judged(ctx, r)
	switch {
	case err != nil:
		if !errors.Is(err, context.Canceled) { // that is a shutdown or a rebalance
			acts.Logger(ctx).Warn("the event's verdict could not be had, it will be asked for again", "error", err)
		}
		m.Nack()
	case !held:
		h.count(outcomeSuperseded)
	default:
		h.handle(ctx, m, r)
	}
	return nil
}

// judged waits for the verdict, but not against a shutdown or a rebalance.
func (h *handling) judged(ctx context.Context, r *eventstore.Record) (bool, error) {
	draining := h.cfg.Draining(ctx)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer stop()
		select {
		case <-draining:
		case <-h.closing:
		case <-ctx.Done():
		}
	}()
	return h.accepted.accepts(ctx, r)
}

func (h *handling) handle(ctx context.Context, m *message.Message, r *eventstore.Record) {
	ctx, span := processing(h.metrics.countingAttempts(ctx, h.reactor.Name), h.reactor, r)
	defer span.End()
	at, begin := place{r.Topic, r.Partition, r.Offset}, time.Now()
	err := try(ctx, h.cfg.Keys, h.reactor, h.route, h.cfg.HandleTimeout, r)
	h.metrics.processed(h.reactor, r.Topic, time.Since(begin), failedSpan(span, err))
	if err == nil {
		h.tries.forget(at)
		h.count(outcomeHandled)
		return
	}
	h.count(outcomeFailed)
	log := acts.Logger(ctx).With("error", err)
	switch judge(ctx, err) {
	case again:
		log.Warn("the event waits and will be tried again")
		m.Nack()
		return
	case counted:
		if n := h.tries.of(at) + 1; n < h.cfg.Attempts {
			h.tries.fail(at)
			log.Warn("handling failed, the event will be tried again", "tries", n)
			m.Nack()
			return
		}
	}
	if err := h.cfg.Publisher.Publish(PoisonTopic, poisoned(ctx, m, h.reactor.Name, h.tries.of(at)+1, h.cfg.Now(), r, err)); err != nil {
		log.Error("the event could not be set aside, it will be tried again", "poisonError", err)
		m.Nack()
		return
	}
	h.tries.forget(at)
	h.count(outcomePoisoned)
	log.Error("the event was set aside on " + PoisonTopic)
}

// try opens, decodes and handles once. A panic is an error like any other.
func try(ctx context.Context, keys eventstore.Keys, reactor Reactor, route route, timeout time.Duration, r *eventstore.Record) (err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			acts.Logger(ctx).Error("a reactor panicked", "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if err := eventstore.Open(ctx, keys, route.category, r); err != nil {
		return err
	}
	payload, err := route.category.Decode(r.Type, r.Data)
	if errors.Is(err, event.ErrUnknownType) {
		return fmt.Errorf("a newer binary is needed: %w", err)
	}
	if err != nil {
		return Poison(fmt.Errorf("the event cannot be read: %w", err))
	}
	return reactor.Handle(ctx, Event{Stream: r.Stream, Type: r.Type, Version: r.Version, Tenant: r.Tenant, Actor: r.Actor,
		CorrelationID: r.CorrelationID, CausationID: r.CausationID, ID: r.ID, Commit: r.Commit, Time: r.Time, Payload: payload, Record: r,
		Topic: r.Topic, Partition: r.Partition, Offset: r.Offset})
}

func (h *handling) count(outcome string) { h.metrics.count(h.reactor.Name, outcome) }

// recordOf reads the envelope back from the metadata, with the event store's own
// parser: what it calls malformed is malformed here.
func recordOf(m *message.Message) (*eventstore.Record, error) {
	headers := make([]kafka.Header, 0, len(m.Metadata))
	for name, value := range m.Metadata {
		headers = append(headers, kafka.Header{Key: name, Value: []byte(value)})
	}
	r, err := eventstore.ParseRecord([]byte(m.Metadata[metadataKey]), m.Payload, headers)
	if err != nil {
		return nil, err
	}
	r.Topic = m.Metadata[metadataTopic]
	if r.Partition, err = strconv.Atoi(m.Metadata[metadataPartition]); err != nil {
		return nil, fmt.Errorf("message %s: %s: %w", m.UUID, metadataPartition, err)
	}
	if r.Offset, err = strconv.ParseInt(m.Metadata[metadataOffset], 10, 64); err != nil {
		return nil, fmt.Errorf("message %s: %s: %w", m.UUID, metadataOffset, err)
	}
	return r, nil
}
