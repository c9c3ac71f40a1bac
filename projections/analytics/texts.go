package analytics

import (
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/domain/threads"
)

// A text message is a message of the channel sms.
var (
	_ = On(Message, "", func(_ At, e texts.Requested) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID, Channel: "sms"}, Remember: true, Metadata: map[string]any{"messageId": e.MessageID}}
	})
	_ = On(Message, "", func(_ At, e texts.AttemptStarted) Entry {
		return Entry{Metadata: map[string]any{"attempt": e.Attempt, "provider": e.Provider}}
	})
	_ = On(Message, "", func(_ At, e texts.AttemptRefused) Entry {
		return Entry{Error: e.Code, Metadata: map[string]any{"code": e.Code, "provider": e.Provider}}
	})
	_ = On(Message, "", func(_ At, e texts.Sent) Entry {
		return Entry{Lifetime: true, Metadata: map[string]any{"segments": e.Segments, "provider": e.Provider}}
	})
	_ = On(Message, "", func(_ At, e texts.Failed) Entry {
		return Entry{Error: e.Code, Metadata: map[string]any{"code": e.Code, "attempts": e.Attempts, "provider": e.Provider}}
	})
	_ = Ignore[texts.AttemptDue]("the attempt itself tells how it went")
)

// What comes and goes by channels is channel: what is said there is of the session that answers.
var (
	_ = On(Channel, "channel_message_received", func(_ At, e threads.Received) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID, Channel: e.Kind}, Remember: true,
			Metadata: map[string]any{"connectionId": e.ConnectionID, "number": e.Number, "files": len(e.Files) + e.MoreFiles}}
	})
	_ = On(Channel, "channel_message_taken", func(_ At, e threads.Taken) Entry {
		return Entry{Traits: Traits{SessionID: e.SessionID}, Metadata: map[string]any{"number": e.Number}}
	})
	_ = On(Channel, "channel_message_refused", func(_ At, e threads.Refused) Entry {
		return Entry{Error: e.Reason, Metadata: map[string]any{"number": e.Number, "code": e.Code}}
	})
	_ = On(Channel, "person_opted", func(_ At, e threads.Opted) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID, Channel: e.Kind, SessionID: e.SessionID}, Remember: true,
			Metadata: map[string]any{"connectionId": e.ConnectionID, "out": e.Out}}
	})
	_ = On(Channel, "reply_queued", func(_ At, e threads.Queued) Entry {
		return Entry{Traits: Traits{SessionID: e.SessionID}, Metadata: map[string]any{"reply": e.Reply, "messageId": e.MessageID,
			"parts": e.Messages, "options": len(e.Options)}}
	})
	_ = On(Channel, "reply_sent", func(_ At, e threads.PartSent) Entry {
		return Entry{Traits: Traits{SessionID: e.SessionID}, Metadata: map[string]any{"reply": e.Reply, "part": e.Part, "last": e.Last}}
	})
	_ = On(Channel, "reply_missed", func(_ At, e threads.Missed) Entry {
		return Entry{Traits: Traits{SessionID: e.SessionID}, Error: e.Reason,
			Metadata: map[string]any{"reply": e.Reply, "part": e.Part, "attempt": e.Attempt, "code": e.Code}}
	})
	_ = On(Channel, "reply_failed", func(_ At, e threads.Failed) Entry {
		return Entry{Traits: Traits{SessionID: e.SessionID}, Error: e.Reason,
			Metadata: map[string]any{"reply": e.Reply, "part": e.Part, "attempts": e.Attempts, "code": e.Code}}
	})
	_ = On(Channel, "reply_reported", func(_ At, e threads.Reported) Entry {
		return Entry{Metadata: map[string]any{"reply": e.Reply, "state": e.State, "code": e.Code}}
	})
	_ = On(Channel, "reply_retried", func(_ At, e threads.Retried) Entry {
		return Entry{Metadata: map[string]any{"reply": e.Reply}}
	})
	_ = On(Channel, "channel_request_answered", func(_ At, e threads.Answered) Entry {
		return Entry{Traits: Traits{SessionID: e.SessionID},
			Metadata: map[string]any{"number": e.Number, "replies": len(e.Replies), "held": e.Held}}
	})
	_ = On(Channel, "channel_replies_spoken", func(_ At, e threads.Spoken) Entry {
		return Entry{Metadata: map[string]any{"replies": len(e.Replies)}}
	})
	_ = Ignore[threads.LineOpened]("what is said on it tells it")
	_ = Ignore[threads.LineClosed]("what is said on it tells it")
	_ = On(Channel, "channel_person_left", func(_ At, e threads.Left) Entry {
		return Entry{Traits: Traits{SessionID: e.SessionID}}
	})
	_ = Ignore[threads.WasOver]("the end of the turn tells it")
	_ = Ignore[threads.DraftBegun]("the reply that it becomes is told")
	_ = Ignore[threads.DraftShown]("the reply that it becomes is told")
	_ = Ignore[threads.DraftDropped]("nothing was said")
	_ = Ignore[threads.FilesFetched]("sessions tell of the files that they are given")
	_ = Ignore[threads.Started]("its outcome tells it")
	_ = Ignore[threads.Due]("the attempt itself tells how it went")
	_ = Ignore[threads.Dropped]("the end of its turn tells it")
	_ = Ignore[threads.TakenBack]("the session that had it tells it")
	_ = Ignore[threads.TellerSet]("what is told there tells it")
	_ = Ignore[threads.TellerDeleted]("nothing happens by it")
	_ = Ignore[threads.Forgotten](erased)
	_ = Ignore[threads.Erased](erased)
)
