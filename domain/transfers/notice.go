package transfers

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Status is what callers are told of a transfer (docs/api-rules.md "Transfer").
type Status string

// The statuses. A queue that has taken a conversation is a transfer that succeeded.
const (
	StatusTransferred Status = "transferred"
	StatusFailed      Status = "failed"
)

// Answer is the first outcome of a transfer; an empty status means that there is none.
type Answer struct {
	Status Status
	Reason Reason // of a failure
	At     time.Time
}

func (s *State) answer(status Status, reason Reason, at time.Time) {
	if s.Answer.Status == "" {
		s.Answer = Answer{status, reason, at}
	}
}

// Notice is what is posted to the callbackUrl.
type Notice struct {
	SessionID          string `json:"sessionId"`
	QueueID            string `json:"queueId,omitempty"` // of a transfer to a queue
	HumanAgentID       string `json:"agentId,omitempty"` // who was asked for; of a queue, who has the conversation
	Status             Status `json:"status"`
	Reason             Reason `json:"reason,omitempty"`
	RequestCompletedAt int64  `json:"requestCompletedAt"` // epoch milliseconds
}

// NoticeOf is what the caller is told because of an event, and nil for events that
// tell nothing. A transfer that waits is told of twice: when the queue takes it, and
// when the wait is over. Only what the request said is read of the state.
func NoticeOf(s State, p event.Payload) *Notice {
	n := Notice{SessionID: s.Request.SessionID, QueueID: s.Request.QueueID, HumanAgentID: s.Request.HumanAgentID, Status: StatusTransferred}
	switch e := p.(type) {
	case Assigned:
		n.HumanAgentID, n.RequestCompletedAt = e.HumanAgentID, e.At.UnixMilli()
	case Queued:
		n.RequestCompletedAt = e.At.UnixMilli()
	case Failed:
		n.Status, n.Reason, n.RequestCompletedAt = StatusFailed, e.Reason, e.At.UnixMilli()
	case TimedOut:
		n.Status, n.Reason, n.RequestCompletedAt = StatusFailed, e.Reason, e.At.UnixMilli()
	default:
		return nil
	}
	return &n
}
