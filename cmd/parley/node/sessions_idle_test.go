package node_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

// Given a session that was opened more than a day ago and one of an hour ago, in which nobody said anything, then the first ends by
// itself and takes no message, and the other goes on.
func TestASessionThatNobodyTalksInEnds(t *testing.T) {
	w := newTalkWorld(t)
	d := w.deploy(t, "dev")
	open := func(since time.Duration) string {
		id := uuid.NewString()
		send(t, w.on, w.id, sessions.Sessions, sessions.Sessions.Stream(id), sessions.Open{ID: id, TenantID: w.id, ProjectID: mainApp,
			Channel: "api", AgentName: "meter", At: time.Now().Add(-since), Begun: &sessions.Begun{DeploymentID: d["id"].(string),
				Environment: "dev", Manifest: map[string]sessions.Pinned{}}}.Decide)
		return id
	}
	shown := func(id string) (s struct{ Session map[string]any }) {
		w.ask(t, "GET", sessionsPath+"/"+id, nil).must(t, 200).into(t, &s)
		return s
	}
	old, young := open(25*time.Hour), open(time.Hour)
	until(t, "the end of the session", func() bool { return shown(old).Session["status"] == "ended" })
	require.NotEmpty(t, shown(old).Session["endedAt"])
	talk := fields{"projectId": mainApp, "message": "Hi"}
	w.ask(t, "POST", "/api/v1/chat/agent", talk.and(fields{"sessionId": old})).refused(t, 409, fault.Conflict)
	require.Equal(t, "active", shown(young).Session["status"])
	w.ask(t, "POST", "/api/v1/chat/agent", talk.and(fields{"sessionId": young})).must(t, 200)
}
