package channels

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

// The times of one attempt. Together they are less than a handler's 30 s, and than the
// lease, so that an attempt that goes well is never in doubt.
const (
	textStartPatience  = 8 * time.Second
	textRecordPatience = 8 * time.Second
	textSpare          = 2 * time.Second // of the lease, without which no provider is asked
)

// DefaultTextLease is how long the outcome of an attempt is waited for.
const DefaultTextLease = 40 * time.Second

// TextSender hands requested texts to a provider. It errs on the side of at most
// once: an accepted attempt-started event precedes the asking, and only the very try
// that wrote it asks. An attempt whose outcome is in doubt is left to its lease (see
// Expire); one that was certainly not taken is followed by another, at its timer.
type TextSender struct {
	Node     string // recorded with every attempt
	Store    *eventstore.Store
	Delivery Delivery // by the server's own account
	Now      func() time.Time
	Lease    time.Duration                   // 0: DefaultTextLease
	Backoff  func(attempt int) time.Duration // the pause after that attempt was not taken; nil: TextBackoff

	known knownOutcomes
}

// Reactor declares it. Two texts about one event, on two nodes, are one attempt.
func (s *TextSender) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: "message-sender", Categories: []*event.Category{texts.Texts.Category}, Side: reactors.AtMostOnce,
		Events: []event.Payload{texts.Requested{}, texts.AttemptDue{}},
		Handle: func(ctx context.Context, e reactors.Event) error {
			return s.Wanted(ctx, texts.Texts.StreamID(e.Stream), e.ID)
		}}
}

// execute runs one step of a text, which is made once.
func (s *TextSender) execute(ctx context.Context, textID, step string,
	decide func(texts.State) ([]event.Payload, error)) (eventstore.Result[texts.State], error) {
	cmd := eventstore.Command{Actor: "reactor:message-sender", RequestID: eventstore.CauseID("message-sender", textID, step)}
	return eventstore.Execute(ctx, s.Store, texts.Texts, texts.Texts.Stream(textID), cmd, decide)
}

// Wanted is called for every accepted event that makes an attempt due; cause is the
// event's id. It makes the attempt, if it is still wanted, and records its outcome. An
// error means that the event is to be delivered again.
func (s *TextSender) Wanted(ctx context.Context, textID, cause string) error {
	started, m, mine, err := s.start(ctx, textID, cause)
	if err != nil || started.AttemptID == "" {
		return err
	}
	outcome, known := s.known.get(started.AttemptID) // this node asked before, and could not record the answer
	switch {
	case known:
	case !mine:
		return nil
	default:
		outcome = s.Delivery.send(ctx, m, started.LeaseUntil.Sub(s.Now())-textSpare)
		s.known.keep(started.AttemptID, outcome, s.Now())
	}
	if outcome.Status == channels.Unknown {
		s.Delivery.Log.Warn("the outcome of a message is unknown; its lease decides", "message", textID, "provider", started.Provider, "attempt",
			started.Attempt, "reason", outcome.Reason)
		s.known.drop(started.AttemptID)
		return nil
	}
	if err := s.record(ctx, textID, started, outcome); err != nil {
		return fmt.Errorf("recording attempt %d of message %s: %w", started.Attempt, textID, err)
	}
	s.known.drop(started.AttemptID)
	return nil
}

// start claims the attempt. started is zero when none is due; mine says that this very
// try claimed it.
func (s *TextSender) start(ctx context.Context, textID, cause string) (started texts.AttemptStarted, m channels.Outbound, mine bool,
	err error) {
	ctx, cancel := context.WithTimeout(ctx, textStartPatience)
	defer cancel()
	attempt := uuid.Must(uuid.NewV7()).String()
	var res eventstore.Result[texts.State]
	err = reactors.Persist(ctx, func() (err error) {
		res, err = s.execute(ctx, textID, "start/"+cause, func(st texts.State) ([]event.Payload, error) {
			now := s.Now()
			return texts.StartAttempt{AttemptID: attempt, Node: s.Node, Provider: s.Delivery.Provider.Name(), At: now,
				LeaseUntil: now.Add(cmp.Or(s.Lease, DefaultTextLease))}.Decide(st)
		})
		return err
	})
	if err != nil {
		return started, m, false, fmt.Errorf("starting an attempt of message %s: %w", textID, err)
	}
	for _, p := range res.Payloads() {
		if e, ok := p.(texts.AttemptStarted); ok {
			started = e
		}
	}
	if mine = started.AttemptID == attempt; !mine {
		return started, m, false, nil
	}
	if !res.Replayed {
		return started, res.State.Outbound(), true, nil
	}
	st, err := s.look(ctx, textID) // our own start, whose first answer was lost: the text may be over by now
	if err != nil {
		s.known.keep(attempt, channels.Outcome{Status: channels.NotTaken, Code: "NOT_READ", Reason: "the node could not read the message"},
			s.Now())
		return started, m, false, err
	}
	return started, st.Outbound(), st.Attempt.AttemptID == attempt && !st.Ended(), nil
}

func (s *TextSender) look(ctx context.Context, textID string) (state texts.State, err error) {
	err = reactors.Persist(ctx, func() error {
		read, err := eventstore.Read(ctx, s.Store, texts.Texts, texts.Texts.Stream(textID))
		state = read.State
		return err
	})
	if err != nil {
		return state, fmt.Errorf("reading message %s: %w", textID, err)
	}
	return state, nil
}

// record outlives the end of ctx: an outcome that is known should not be lost to a
// shutdown.
func (s *TextSender) record(ctx context.Context, textID string, started texts.AttemptStarted, r channels.Outcome) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), textRecordPatience)
	defer cancel()
	outcome := texts.RecordOutcome{AttemptID: started.AttemptID, Outcome: r, Delay: s.pause(started.Attempt), At: s.Now()}
	return reactors.Persist(ctx, func() error {
		_, err := s.execute(ctx, textID, "outcome/"+started.AttemptID, outcome.Decide)
		return err
	})
}

func (s *TextSender) pause(attempt int) time.Duration {
	if s.Backoff != nil {
		return s.Backoff(attempt)
	}
	return TextBackoff(attempt)
}

// Expire is called when the deadline of a text has passed, at a time of the shared
// clock. Of an attempt in doubt the provider is asked what became of it. Several nodes
// may do so at once: the stream's decision takes the first.
func (s *TextSender) Expire(ctx context.Context, textID string, now time.Time) error {
	st, err := s.look(ctx, textID)
	if err != nil {
		return err
	}
	asked := st.Attempt.AttemptID
	expire := texts.Expire{At: now, Delay: s.pause(st.Attempts)}
	if st.Lapsed(now) {
		expire.Outcome = s.lookup(ctx, st)
	}
	cmd := eventstore.Command{Actor: "timer:message"}
	_, err = eventstore.Execute(ctx, s.Store, texts.Texts, texts.Texts.Stream(textID), cmd, func(st texts.State) ([]event.Payload, error) {
		if st.Attempt.AttemptID != asked {
			return nil, nil // not what was asked about
		}
		return expire.Decide(st)
	})
	if err != nil {
		return fmt.Errorf("moving message %s on: %w", textID, err)
	}
	s.known.drop(asked)
	return nil
}

// lookup tells what is known of an attempt in doubt: by this node, else by the provider.
func (s *TextSender) lookup(ctx context.Context, st texts.State) channels.Outcome {
	if r, ok := s.known.get(st.Attempt.AttemptID); ok {
		return r
	}
	return s.Delivery.lookup(ctx, st.Attempt.Provider, st.Doubt())
}

// TextBackoff is the pause after an attempt that was not taken: about 2 s, 4 s, 8 s
// ... up to 10 minutes, each half as long or half as much again at random.
func TextBackoff(attempt int) time.Duration {
	delays := backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(2*time.Second), backoff.WithMultiplier(2), backoff.WithRandomizationFactor(0.5),
		backoff.WithMaxInterval(10*time.Minute), backoff.WithMaxElapsedTime(0))
	for range min(attempt, 16) - 1 {
		delays.NextBackOff()
	}
	return delays.NextBackOff()
}

// knownOutcomes are the answers of providers that could not be recorded yet, by attempt:
// a log that is away for a moment must not make an outcome unknown that we know.
type knownOutcomes struct {
	mu   sync.Mutex
	kept map[string]knownOutcome
}

type knownOutcome struct {
	outcome channels.Outcome
	at      time.Time
}

// mostKnown is how long an outcome is worth keeping: by then its lease has decided.
const mostKnown = 10 * time.Minute

func (k *knownOutcomes) keep(attempt string, r channels.Outcome, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil {
		k.kept = map[string]knownOutcome{}
	}
	for id, o := range k.kept {
		if now.Sub(o.at) > mostKnown {
			delete(k.kept, id)
		}
	}
	k.kept[attempt] = knownOutcome{r, now}
}

func (k *knownOutcomes) get(attempt string) (channels.Outcome, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	o, ok := k.kept[attempt]
	return o.outcome, ok
}

func (k *knownOutcomes) drop(attempt string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.kept, attempt)
}
