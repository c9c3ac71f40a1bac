//go:build !apache

package node_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
)

// Given a call that was answered, and a node that is not as far as to open its session,
// when somebody uses the id that interactions and notifications show, then it is known.
func TestASessionIsKnownFromTheMomentThatItsIDIsShown(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, nobodyDials)
	desk := &transferDesk{tenant: w.one, c: &cluster{a: w.server, b: w.server}, auth: w.auth, hook: newReceiver(t, nil)}
	desk.staff(t, fields{"canSupportVoice": true, "canSupportChat": false}, "a-maria")
	call := w.answered(t, w.past(t, w.one, mainApp, time.Now().Add(-time.Minute)), time.Now())
	var listed struct {
		Interactions []struct{ SessionID string }
	}
	w.ask(t, "GET", "/api/v1/projects/"+mainApp+"/interactions", nil).must(t, 200).into(t, &listed)
	require.Equal(t, call.session, listed.Interactions[0].SessionID)
	voicemail := "/api/public/bot/" + mainApp + "/voicemail?transcription=false&sessionId="
	note := func(session string) fields { return fields{"sessionId": session, "notes": []string{"told at once"}} }
	notePath := "/api/v1/projects/" + mainApp + "/conversations/"

	t.Run("it is transferred, as the voice call that it is", func(t *testing.T) {
		require.Equal(t, "transferred", desk.assign(t, call.session, toAgent("a-maria")).Status)
	})
	t.Run("its voicemail is listed", func(t *testing.T) {
		w.ask(t, "GET", voicemail+call.session, nil).must(t, 200)
	})
	t.Run("a conversation is noted to be its", func(t *testing.T) {
		w.ask(t, "PATCH", notePath+call.id, note(call.session)).must(t, 200)
		w.ask(t, "PATCH", notePath+call.id, note(uuid.NewString())).refused(t, 400, fault.Validation, "sessionId")
	})
	t.Run("nobody else knows it", func(t *testing.T) {
		foreign := w.two.token(t)
		w.do(t, "GET", strings.Replace(voicemail, mainApp, foreignBot, 1)+call.session, nil, "auth", foreign).refused(t, 404, fault.NotFound)
		w.ask(t, "GET", voicemail+uuid.NewString(), nil).refused(t, 404, fault.NotFound)
	})
	t.Run("when its call has ended, so has it", func(t *testing.T) {
		w.completed(t, call, calls.ByCallee, time.Now())
		desk.ask(t, w.server, desk.to(call.session, toAgent("a-maria"))).refused(t, 409, fault.Conflict)
		w.ask(t, "GET", voicemail+call.session, nil).must(t, 200)
	})
}
