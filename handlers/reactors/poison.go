package reactors

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// PoisonTopic holds the events that a reactor could not handle: the record as it
// was, key, value and headers, and beside them the headers below. `parley reactor
// replay` reads them with ParsePoisoned and hands them to the reactor once more.
const PoisonTopic = "parley.poison"

// The headers that tell why and from where.
const (
	HeaderReactor   = "reactor"
	HeaderError     = "error" // never more than a refusal's public text or the name of an error's type
	HeaderTopic     = "topic"
	HeaderPartition = "partition"
	HeaderOffset    = "offset"
	HeaderAttempts  = "attempts"  // tries that failed, this node's last series
	HeaderSetAside  = "set-aside" // when, RFC 3339, UTC
)

// Poison marks an error that no further try can heal.
func Poison(err error) error { return &poisonError{err} }

type poisonError struct{ cause error }

func (p *poisonError) Error() string { return p.cause.Error() }
func (p *poisonError) Unwrap() error { return p.cause }

// Poisoned is what the poison topic says about an event.
type Poisoned struct {
	Reactor string
	Reason  string // public text, see HeaderError
	Topic   string
	Place   int // partition of Topic
	Offset  int64

	Attempts int
	SetAside time.Time
}

// ParsePoisoned reads a message of the poison topic.
func ParsePoisoned(m *message.Message) (Poisoned, error) {
	p := Poisoned{Reactor: m.Metadata[HeaderReactor], Reason: m.Metadata[HeaderError], Topic: m.Metadata[HeaderTopic]}
	if p.Reactor == "" || p.Topic == "" {
		return p, fmt.Errorf("poisoned message %s: headers %s and %s must be there", m.UUID, HeaderReactor, HeaderTopic)
	}
	var err error
	if p.Place, err = strconv.Atoi(m.Metadata[HeaderPartition]); err != nil {
		return p, fmt.Errorf("poisoned message %s: header %s: %w", m.UUID, HeaderPartition, err)
	}
	if p.Offset, err = strconv.ParseInt(m.Metadata[HeaderOffset], 10, 64); err != nil {
		return p, fmt.Errorf("poisoned message %s: header %s: %w", m.UUID, HeaderOffset, err)
	}
	// Of older releases these two are missing; nothing depends on them.
	p.Attempts, _ = strconv.Atoi(m.Metadata[HeaderAttempts])
	p.SetAside, _ = time.Parse(time.RFC3339, m.Metadata[HeaderSetAside])
	return p, nil
}

// verdict of a failed try.
type failure int

const (
	again   failure = iota // not the event's fault, or not known to be: try again
	counted                // try again, but not for ever
	hopeless
)

// judge sorts an error of a handler. What says nothing about the event never
// counts: a node that catches up, a command that was not or may have been
// executed, a type that only a newer binary knows, a handler that was told to stop.
func judge(ctx context.Context, err error) failure {
	var poison *poisonError
	switch {
	case ctx.Err() != nil:
		return again
	case errors.As(err, &poison):
		return hopeless
	case fault.Is(err, fault.CatchingUp), fault.Is(err, fault.NotExecuted), fault.Is(err, fault.OutcomeUnknown),
		fault.Is(err, fault.QueueFull), fault.Is(err, fault.Unavailable), errors.Is(err, event.ErrUnknownType):
		return again
	default:
		return counted
	}
}

// publicText is an error without anything that a secret could hide in: the text
// of a refusal, which is written to be shown, else only what kind of error it was.
// The log has the rest, under the correlation id.
func publicText(err error) string {
	var f *fault.Error
	if errors.As(err, &f) {
		return fmt.Sprintf("%s: %s", f.Code, f.Message)
	}
	var poison *poisonError
	for errors.As(err, &poison) {
		err = poison.cause
	}
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return fmt.Sprintf("%s: %T", fault.Internal, err)
}

// place is where a record stands.
type place struct {
	topic     string
	partition int
	offset    int64
}

// attempts counts the failed tries of the events at hand. The counts live in
// memory: after a restart an event gets all its tries again.
type attempts struct {
	mu    sync.Mutex
	tries map[place]int
}

// attemptsKept bounds what partitions that moved away leave behind.
const attemptsKept = 10_000

func (a *attempts) fail(at place) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.tries) >= attemptsKept {
		clear(a.tries)
	}
	a.tries[at]++
}

// of is how many tries failed so far.
func (a *attempts) of(at place) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.tries[at]
}

func (a *attempts) forget(at place) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.tries, at)
}

// poisoned makes the message for the poison topic.
func poisoned(ctx context.Context, m *message.Message, reactor string, tries int, now time.Time, r *eventstore.Record,
	err error) *message.Message {
	p := m.Copy()
	p.SetContext(ctx)
	p.Metadata.Set(HeaderReactor, reactor)
	p.Metadata.Set(HeaderError, publicText(err))
	p.Metadata.Set(HeaderTopic, r.Topic)
	p.Metadata.Set(HeaderPartition, strconv.Itoa(r.Partition))
	p.Metadata.Set(HeaderOffset, strconv.FormatInt(r.Offset, 10))
	p.Metadata.Set(HeaderAttempts, strconv.Itoa(tries))
	p.Metadata.Set(HeaderSetAside, now.UTC().Format(time.RFC3339))
	return p
}
