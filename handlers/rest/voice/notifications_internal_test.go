package voice

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
)

// What is told of a notification is what is sent: every member of it and no other, but for
// the second spellings.
func TestNotificationsAreAsTheDocumentTells(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	asked := calls.Requested{}
	asked.NotifyURL, asked.CallID = "https://crm.example.com/calls", "call-1"
	answered := calls.Answered{SessionID: "s-1", At: at, RingDurationMs: 1, ConnectDurationMs: 2}
	heard := calls.AmdDetected{Detection: calls.Detection{Result: calls.AmdHumanDetected}, At: at}
	ended := calls.Completed{At: at, ReasonCode: calls.ReasonOK, Reason: "200 OK", DurationMs: 3_000, SessionID: "s-1",
		Verdict: calls.AmdHumanDetected}
	dialled := calls.AttemptStarted{At: at}
	failed := calls.Failed{At: at, SIPCode: 486, ReasonCode: calls.ReasonBusy, Reason: "486 Busy Here"}
	for name, c := range map[string]struct {
		given []event.Payload
		as    any
	}{
		"call-answered":              {[]event.Payload{asked, dialled, answered}, &callAnsweredNotification{}},
		"call-in-progress":           {[]event.Payload{asked, dialled, answered, heard}, &callInProgressNotification{}},
		"call-completed":             {[]event.Payload{asked, dialled, answered, heard, ended}, &callCompletedNotification{}},
		"call-failed":                {[]event.Payload{asked, dialled, failed}, &callFailedNotification{}},
		"call-failed, never dialled": {[]event.Payload{asked, failed}, &callFailedNotification{}},
		"call-completed, no detection": {[]event.Payload{asked, dialled, answered, calls.Completed{At: at, SessionID: "s-1"}},
			&callCompletedNotification{}},
	} {
		notice := calls.NoticeOf(calls.Calls.State(c.given...), c.given[len(c.given)-1])
		require.NotNil(t, notice, name)
		sent, err := json.Marshal(notice)
		require.NoError(t, err)
		var members map[string]any
		require.NoError(t, json.Unmarshal(sent, &members))
		delete(members, "duration")
		delete(members, "machinedetection")
		once, err := json.Marshal(members)
		require.NoError(t, err)
		d := json.NewDecoder(bytes.NewReader(once))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(c.as), name)
		told, err := json.Marshal(c.as)
		require.NoError(t, err)
		require.JSONEq(t, string(once), string(told), name)
	}
}
