package analytics

import "github.com/parley-platform/parley/domain/texts"

// A text message is a message of the channel sms.
var (
	_ = On(Message, "", func(_ At, e texts.Requested) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID, Channel: "sms"}, Remember: true, Metadata: map[string]any{"messageId": e.MessageID}}
	})
	_ = On(Message, "", func(_ At, e texts.AttemptStarted) Entry {
		return Entry{Metadata: map[string]any{"attempt": e.Attempt, "provider": e.Provider}}
	})
	_ = On(Message, "", func(_ At, e texts.AttemptRefused) Entry {
		return Entry{Error: e.Reason, Metadata: map[string]any{"code": e.Code, "provider": e.Provider}}
	})
	_ = On(Message, "", func(_ At, e texts.Sent) Entry {
		return Entry{Lifetime: true, Metadata: map[string]any{"segments": e.Segments, "provider": e.Provider}}
	})
	_ = On(Message, "", func(_ At, e texts.Failed) Entry {
		return Entry{Error: e.Reason, Metadata: map[string]any{"code": e.Code, "attempts": e.Attempts, "provider": e.Provider}}
	})
	_ = Ignore[texts.AttemptDue]("the attempt itself tells how it went")
)
