package conversations

import "time"

// SummaryRequest is what a summary is made of.
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

// SummaryMade is what came of it.
type SummaryMade struct {
	Text     string
	Provider string // local: made by rules
	Model    string // empty with local

	TokensIn, TokensOut int64 // as the provider counted them; zero: it did not
}
