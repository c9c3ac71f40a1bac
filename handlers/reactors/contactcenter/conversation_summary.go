package contactcenter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections"
)

// The bounds of what one summary is made of, and of one attempt.
const (
	summaryLines   = 2_000
	summaryTimeout = 10 * time.Second
)

// Transcripts knows what was said in conversations.
type Transcripts interface {
	Transcript(ctx context.Context, stream string, upTo, most int) ([]projections.ConversationMessage, error)
}

// ConversationSummaries makes the summaries that conversations ask for: one for each
// TRIGGER_SUMMARY_EVENT of a hook. It errs on the side of at least once: a node that
// dies between an attempt and its record makes the attempt again.
type ConversationSummaries struct {
	Store       *eventstore.Store
	Transcripts Transcripts
	Summarizer  Summarizer
	Now         func() time.Time
	Backoff     func(attempt int) time.Duration // the pause after that attempt failed; nil: SummaryBackoff
}

// Reactor declares it.
func (c ConversationSummaries) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: "conversation-summaries", Categories: []*event.Category{conversations.Conversations.Category},
		Side: reactors.AtLeastOnce, Handle: c.handle,
		Events: []event.Payload{conversations.SummaryAsked{}, conversations.SummaryDue{}}}
}

func (c ConversationSummaries) handle(ctx context.Context, e reactors.Event) error {
	l, err := eventstore.Read(ctx, c.Store, conversations.Conversations, e.Stream)
	if err != nil {
		return fmt.Errorf("folding %s: %w", e.Stream, err)
	}
	wanted, yes := l.State.WantsSummary()
	if !yes {
		return nil
	}
	record, err := c.attempt(ctx, e.Stream, wanted)
	if err != nil {
		return err
	}
	step := fmt.Sprintf("%d/%d", wanted.Number, wanted.Attempt)
	cmd := eventstore.Command{Tenant: e.Tenant, Actor: "reactor:conversation-summaries", CorrelationID: e.CorrelationID, CausationID: e.ID,
		RequestID: eventstore.CauseID("conversation-summaries", e.Stream, step)}
	_, err = eventstore.Execute(ctx, c.Store, conversations.Conversations, e.Stream, cmd, record)
	return err
}

// attempt makes one summary of what was said when it was asked for.
func (c ConversationSummaries) attempt(ctx context.Context, stream string,
	y conversations.Summary) (func(conversations.State) ([]event.Payload, error), error) {
	lines, err := c.Transcripts.Transcript(ctx, conversations.Conversations.StreamID(stream), y.Messages, summaryLines)
	if err != nil {
		return nil, err
	}
	request := SummaryRequest{Language: y.Wanted.Language, Locale: y.Wanted.Locale, Type: y.Wanted.Type}
	for _, line := range lines {
		said := SummaryLine{Author: "user", Text: line.Query, At: line.At}
		if line.Author == string(conversations.HumanAgent) {
			said.Author, said.Name = "agent", line.AgentID
		}
		request.Lines = append(request.Lines, said)
	}
	limited, cancel := context.WithTimeout(ctx, summaryTimeout)
	defer cancel()
	made, err := c.Summarizer.Summarize(limited, request)
	switch {
	case err == nil:
		return conversations.RecordSummary{Number: y.Number, Attempt: y.Attempt, Text: made.Text, Provider: made.Provider, Model: made.Model,
			TokensIn: made.TokensIn, TokensOut: made.TokensOut, At: c.Now()}.Decide, nil
	case ctx.Err() != nil:
		return nil, ctx.Err() // our own end, not the provider's fault
	}
	return c.failure(y, err).Decide, nil
}

// failure is an attempt without a summary, in words that may be shown.
func (c ConversationSummaries) failure(y conversations.Summary, err error) conversations.RecordSummaryFailure {
	out := conversations.RecordSummaryFailure{Number: y.Number, Attempt: y.Attempt, Error: "the summary could not be made", Retryable: true,
		At: c.Now()}
	pause := c.Backoff
	if pause == nil {
		pause = SummaryBackoff
	}
	out.Delay = pause(y.Attempt)
	var f *fault.Error
	switch {
	case errors.As(err, &f):
		out.Error, out.Retryable, out.Delay = f.Message, f.Code != fault.Validation, max(out.Delay, f.Retry)
	case errors.Is(err, context.DeadlineExceeded):
		out.Error = "the provider did not answer in time"
	}
	return out
}

// SummaryBackoff is the pause after a failed attempt: about 2 s, 4 s, 8 s ..., each
// half as long or half as much again at random, and at most ten minutes.
func SummaryBackoff(attempt int) time.Duration {
	delays := backoff.NewExponentialBackOff(backoff.WithInitialInterval(2*time.Second), backoff.WithMultiplier(2),
		backoff.WithRandomizationFactor(0.5),
		backoff.WithMaxInterval(conversations.MaxSummaryDelay), backoff.WithMaxElapsedTime(0))
	for range min(attempt, 16) - 1 {
		delays.NextBackOff()
	}
	return delays.NextBackOff()
}

// Due is the timer of the next attempt.
func (c ConversationSummaries) Due(ctx context.Context, t projections.Timer, now time.Time) error {
	_, err := eventstore.Execute(ctx, c.Store, conversations.Conversations, t.Stream, eventstore.Command{Tenant: t.Tenant, Actor: "timer:" +
		t.Name}, conversations.SummaryDueNow(now))
	return err
}
