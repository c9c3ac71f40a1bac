package conversations

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// SummarizeAgain asks for the newest summary once more: as it was asked for, of all that
// was said until now. It is for a summary that failed, and for one that is to be better;
// it is allowed after the end as well.
type SummarizeAgain struct{ At time.Time }

// Decide asks for another summary, which takes the place of the one before.
func (c SummarizeAgain) Decide(s State) ([]event.Payload, error) {
	switch y := s.Summary; {
	case y.Number == 0:
		return nil, fault.New(fault.Conflict, "no summary of the conversation was triggered: report a TRIGGER_SUMMARY_EVENT first")
	case y.Status == SummaryPending:
		return nil, fault.New(fault.Conflict, "a summary of the conversation is under way")
	case s.Forgotten > 0 && s.Forgotten == s.Messages:
		return nil, fault.New(fault.Gone, "what was said in the conversation is not kept any more")
	}
	return s.askSummary(s.Summary.Wanted, c.At)
}

// askSummary asks for one more of all that was said so far.
func (s State) askSummary(wanted SummaryWanted, at time.Time) ([]event.Payload, error) {
	if s.Summaries >= MaxSummaries {
		return nil, fault.New(fault.LimitReached, "a conversation can have at most %d summaries", MaxSummaries)
	}
	return []event.Payload{SummaryAsked{Number: s.Summaries + 1, Language: wanted.Language, Locale: wanted.Locale, Type: wanted.Type,
		Messages: s.Messages, At: stamp(at)}}, nil
}
