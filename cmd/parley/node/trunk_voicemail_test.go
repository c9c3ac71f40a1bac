//go:build !apache

package node_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/cmd/parley/node"
)

// Given a caller over a trunk whose transfer waited in its queue for too long, when the queue takes voicemail, then what the caller says
// behind the beep is the voicemail of the session, and can be played.
func TestACallerOverATrunkLeavesAVoicemail(t *testing.T) {
	t.Parallel()
	port := FreePort(t)
	w := newCallWorld(t, overSIPAt(port), func(c *node.Config) {
		c.CallLease = time.Hour // with a sign of life the node would not hear of it in time
	})
	w.one.apply(t, "Trunk", "", "carrier", fields{"provider": "sip", "address": "192.0.2.1", "optionsSeconds": 0,
		"inbound": fields{"sources": []string{"127.0.0.1"}}})
	spoken := Spoken(t, "en-us", "Hello, this is Ada. Please call me back about my order, it has not arrived.", 0)
	caller := RingsUp(t, port, callCaller)
	caller.Says(spoken)

	id := w.answeredCall(t)
	session := w.call(t, id).SessionID
	w.one.waitsInVain(t, session, "+4930123456")
	until(t, "a message to be wanted", func() bool { return w.call(t, id).Message != nil })
	before := caller.Said()
	// Its node is told at once, and asks first.
	until(t, "the caller to have said it behind the beep", func() bool { return caller.Said() > before+45*time.Second })
	caller.Asks("BYE", "", "")
	<-caller.Over
	_, _ = w.one.voicemailOf(t, session)
	require.NotNil(t, w.call(t, id).Message)
	require.NotEmpty(t, w.call(t, id).MessageBlob)
}
