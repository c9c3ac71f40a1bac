package calls

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Status is the status of a notification.
type Status string

// The statuses, in the API's own spelling.
const (
	StatusAnswered   Status = "Answered"
	StatusInProgress Status = "Call-In-Progress"
	StatusCompleted  Status = "completed"
	StatusFailed     Status = "Failed"
)

// Notice is the body posted to notifyurl
// (docs/decisions/2026-11-21-fields-of-notifications.md). Members that a status does
// not have are absent. A name that has two spellings (callDuration and duration) is
// there twice with one value.
type Notice struct {
	ConversationID        string     `json:"conversationId"` // the call's id
	Status                Status     `json:"status"`
	Reason                string     `json:"reason"`
	ReasonCode            ReasonCode `json:"reasonCode"`
	CallConnectTime       string     `json:"callConnectTime,omitempty"`
	CallDisconnectTime    string     `json:"callDisconnectTime,omitempty"`
	CallDuration          *int64     `json:"callDuration,omitempty"` // whole seconds, truncated
	Duration              *int64     `json:"duration,omitempty"`     // the same
	RingDurationInMS      *int64     `json:"ringDurationInMS,omitempty"`
	ConnectDurationInMS   *int64     `json:"connectDurationInMS,omitempty"`
	MachineDetection      Result     `json:"machineDetection,omitempty"`
	MachineDetectionLower Result     `json:"machinedetection,omitempty"`
	SessionID             string     `json:"sessionId,omitempty"`
}

// NoticeOf is the notification that an event calls for, nil when it calls for none.
// s is the state after the event.
func NoticeOf(s State, p event.Payload) *Notice {
	if s.Request.NotifyURL == "" {
		return nil
	}
	switch e := p.(type) {
	case Answered:
		return s.answeredNotice(StatusAnswered)
	case AmdDetected:
		return s.detectionNotice(e)
	case Completed:
		return s.completedNotice(e)
	case Failed:
		return s.failedNotice(e)
	}
	return nil
}

// answeredNotice says what is known from answer on; it carries no result.
func (s State) answeredNotice(status Status) *Notice {
	ring, connect := s.RingDurationMs, s.ConnectDurationMs
	return &Notice{ConversationID: s.Request.CallID, Status: status, Reason: answeredReason, ReasonCode: ReasonOK,
		CallConnectTime: iso(s.AnsweredAt), RingDurationInMS: &ring, ConnectDurationInMS: &connect}
}

func (s State) detectionNotice(e AmdDetected) *Notice {
	wanted := s.Request.AmdEventsSubscription
	if wanted != nil && !slices.Contains(wanted, e.Result) {
		return nil
	}
	n := s.answeredNotice(StatusInProgress)
	n.detection(e.Result)
	return n
}

func (s State) completedNotice(e Completed) *Notice {
	n := s.answeredNotice(StatusCompleted)
	n.Reason, n.ReasonCode, n.SessionID = e.Reason, e.ReasonCode, e.SessionID
	n.CallDisconnectTime = iso(e.At)
	seconds := e.DurationMs / 1000
	n.CallDuration, n.Duration = &seconds, &seconds
	n.detection(e.Verdict)
	return n
}

// failedNotice: nobody picked up, so the time of connection is that of the refusal,
// and both durations run up to it. A call that was never dialled has no durations.
func (s State) failedNotice(e Failed) *Notice {
	n := &Notice{ConversationID: s.Request.CallID, Status: StatusFailed, Reason: e.Reason, ReasonCode: e.ReasonCode,
		CallConnectTime: iso(e.At), CallDisconnectTime: iso(e.At)}
	if !s.DialedAt.IsZero() {
		n.RingDurationInMS, n.ConnectDurationInMS = &e.RingDurationMs, &e.ConnectDurationMs
	}
	return n
}

func (n *Notice) detection(r Result) { n.MachineDetection, n.MachineDetectionLower = r, r }

func iso(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
