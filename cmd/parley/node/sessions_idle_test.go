package node_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
)

// Given a session that was opened more than a day ago and one of an hour ago, in which nobody said anything, then the first ends by
// itself and takes no message, and the other goes on; unless its project said that half an hour is enough.
func TestASessionThatNobodyTalksInEnds(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	d := w.deploy(t, "dev")
	open := func(since time.Duration, minutes int) string {
		id := uuid.NewString()
		send(t, w.on, w.id, sessions.Sessions, sessions.Sessions.Stream(id), sessions.Open{ID: id, TenantID: w.id, ProjectID: mainApp,
			Channel: "api", AgentName: "meter", At: time.Now().Add(-since), Begun: &sessions.Begun{DeploymentID: d["id"].(string),
				Environment: "dev", Manifest: map[string]sessions.Pinned{},
				Patience: sessions.Patience{IdleMinutes: minutes}}}.Decide)
		return id
	}
	shown := func(id string) (s struct{ Session map[string]any }) {
		w.ask(t, "GET", sessionsPath+"/"+id, nil).must(t, 200).into(t, &s)
		return s
	}
	old, young, short := open(25*time.Hour, 0), open(time.Hour, 0), open(time.Hour, 30)
	until(t, "the end of the session", func() bool { return shown(old).Session["status"] == "ended" })
	until(t, "the end of the short one", func() bool { return shown(short).Session["status"] == "ended" })
	require.NotEmpty(t, shown(old).Session["endedAt"])
	talk := fields{"projectId": mainApp, "message": "Hi"}
	w.ask(t, "POST", "/api/v1/chat/agent", talk.and(fields{"sessionId": old})).refused(t, 409, fault.Conflict)
	require.Equal(t, "active", shown(young).Session["status"])
	w.ask(t, "POST", "/api/v1/chat/agent", talk.and(fields{"sessionId": young})).must(t, 200)
}

// Given settings that say for how long a session may be idle, then those that begin say so on what prolongs them, and those that had
// begun do not.
func TestAProjectSaysForHowLongASessionMayBeIdle(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	w.deploy(t, "dev")
	var before, behind chatAnswer
	talk := fields{"projectId": mainApp, "message": "Hi"}
	w.ask(t, "POST", "/api/v1/chat/agent", talk).must(t, 200).into(t, &before)
	w.posted(t, nil, settingsOf(fields{"sessions": fields{"idleMinutes": 30}})).must(t, 200)
	w.ask(t, "POST", "/api/v1/chat/agent", talk).must(t, 200).into(t, &behind)
	w.ask(t, "POST", "/api/v1/chat/agent", talk.and(fields{"sessionId": before.SessionID})).must(t, 200)
	idle := func(session string) (minutes []int) {
		history, err := eventstore.History(t.Context(), w.on.Store(), sessions.Sessions, sessions.Sessions.Stream(session))
		require.NoError(t, err)
		for _, e := range history.Events {
			switch p := e.Payload.(type) {
			case sessions.Opened:
				minutes = append(minutes, p.Begun.IdleMinutes)
			case sessions.MessageReceived:
				minutes = append(minutes, p.IdleMinutes)
			case sessions.Said:
				minutes = append(minutes, p.IdleMinutes)
			}
		}
		return minutes
	}
	require.Equal(t, []int{0, 0, 0, 0, 0, 0}, idle(before.SessionID)[:6])
	require.Equal(t, []int{30, 30, 30, 30}, idle(behind.SessionID))
}
