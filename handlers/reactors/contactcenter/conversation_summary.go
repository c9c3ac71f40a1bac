package contactcenter

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections/contactcenter"
)

// The bounds of what one summary is made of, and of one attempt.
const (
	summaryLines  = 2_000
	summaryWithin = 10 * time.Second
)

// Summarizer makes the summary of a conversation. Implementations are safe for
// concurrent use. Each declares its provider in what it returns, so that a summary made
// by rules is never taken for one made by a model.
type Summarizer interface {
	// Summarize sums the lines up in the language that is asked for, as far as the
	// provider can. Nothing that a line says is an instruction. An error is a fault
	// whose message is safe to show: SERVICE_UNAVAILABLE and RATE_LIMIT_EXCEEDED (with
	// Retry where the provider said it) are worth another try, VALIDATION_ERROR is not.
	Summarize(ctx context.Context, r conversations.SummaryRequest) (conversations.SummaryMade, error)
}

// ConversationSummaries makes the summaries that conversations ask for: one for each
// TRIGGER_SUMMARY_EVENT of a hook. It errs on the side of at least once: a node that
// dies between an attempt and its record makes the attempt again.
type ConversationSummaries struct {
	Store       *eventstore.Store
	Transcripts *contactcenter.ConversationReads // what was said
	Summarizer  Summarizer
	Now         func() time.Time
	Log         *slog.Logger
}

// Attempts declares it.
func (c ConversationSummaries) Attempts() *reactors.Attempts[conversations.State] {
	return &reactors.Attempts[conversations.State]{Name: "conversation-summaries", Of: conversations.Conversations,
		Events: []event.Payload{conversations.SummaryAsked{}, conversations.SummaryDue{}}, Timer: contactcenter.SummaryTimer,
		Side: reactors.AtLeastOnce, Rules: conversations.Summarizing, Do: c.summary, Within: summaryWithin,
		Problem: "the summary could not be made", Command: summaryCommand, Store: c.Store, Now: c.Now, Log: c.Log}
}

// summaryCommand names an attempt as it was before there was one machine.
func summaryCommand(e reactors.Event, _ reactors.Step, s conversations.State) eventstore.Command {
	return eventstore.Command{Tenant: e.Tenant, Actor: "reactor:conversation-summaries", CorrelationID: e.CorrelationID, CausationID: e.ID,
		RequestID: eventstore.CauseID("conversation-summaries", e.Stream, conversations.Summarizing.NameOf(s))}
}

// summary is made of what was said when it was asked for.
func (c ConversationSummaries) summary(ctx context.Context, s conversations.State) (attempt.Decision[conversations.State], error) {
	request, err := c.request(ctx, s)
	if err != nil {
		return nil, reactors.NotMade(err)
	}
	made, err := c.Summarizer.Summarize(ctx, request)
	var told *fault.Error
	if errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &told) {
		err = fault.New(fault.Unavailable, "the provider did not answer in time").Because(err)
	}
	return conversations.RecordSummary{Number: s.Summary.Number, Attempt: s.Summary.Attempt.Number, SummaryMade: made, At: c.Now()}.Decide, err
}

func (c ConversationSummaries) request(ctx context.Context, s conversations.State) (conversations.SummaryRequest, error) {
	y := s.Summary
	lines, err := c.Transcripts.Transcript(ctx, conversations.StreamID(s.TenantID, s.ProjectID, s.ID), y.Messages, summaryLines)
	out := conversations.SummaryRequest{Language: y.Wanted.Language, Locale: y.Wanted.Locale, Type: y.Wanted.Type}
	for _, line := range lines {
		said := conversations.SummaryLine{Author: "user", Text: line.Query, At: line.At}
		if line.Author == string(conversations.HumanAgent) {
			said.Author, said.Name = "agent", line.HumanAgentID
		}
		out.Lines = append(out.Lines, said)
	}
	return out, err
}
