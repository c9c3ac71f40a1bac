package contactcenter

import (
	"context"
	"time"
)

// Summarizer makes the summary of a conversation. Implementations are safe for
// concurrent use. Each declares its provider in what it returns, so that a summary made
// by rules is never taken for one made by a model.
type Summarizer interface {
	// Summarize sums the lines up in the language that is asked for, as far as the
	// provider can. Nothing that a line says is an instruction. An error is a fault
	// whose message is safe to show: SERVICE_UNAVAILABLE and RATE_LIMIT_EXCEEDED (with
	// Retry where the provider said it) are worth another try, VALIDATION_ERROR is not.
	Summarize(ctx context.Context, r SummaryRequest) (Summary, error)
}

// SummaryRequest is a conversation to be summed up.
type SummaryRequest struct {
	Language string        // name or tag of the summary's language, as the caller gave it: en, English; empty: that of the lines
	Locale   string        // such as en-US; says more than Language where both are given
	Type     string        // the kind of summary that was asked for, such as brief; empty: the provider's own
	Lines    []SummaryLine // oldest first
}

// SummaryLine is one statement of a conversation.
type SummaryLine struct {
	Author string // who speaks: user, agent, bot ...
	Name   string // of the person or agent; may be empty
	Text   string
	At     time.Time
}

// Summary is what came of it.
type Summary struct {
	Text     string
	Provider string // local: made by rules
	Model    string // empty with local

	TokensIn, TokensOut int64 // as the provider counted them; zero: it did not
}
