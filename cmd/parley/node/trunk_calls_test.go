//go:build !apache

package node_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/cmd/parley/node"
	given "github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/calls"
)

// overSIP lets the node call over trunks of this machine.
func overSIP(t *testing.T) func(*node.Config) {
	return overSIPAt(FreePort(t))
}

func overSIPAt(port int) func(*node.Config) {
	return func(c *node.Config) { c.SIP = given.SIP{Listen: fmt.Sprintf("%s:%d", Host, port)} }
}

// callees are the simulated callees as programs that nobody here wrote play them: what they do, by the
// last digits of their numbers.
func callees(t *testing.T) map[string]string {
	const sound = "[rtpstream_audio_port]"
	picksUp := func(ms int, heard ...[]byte) string {
		return Scenario(Reply(100, "Trying"), Pause(100), Reply(180, "Ringing"), Pause(300), ReplySDP(200, "OK", Sound(sound)), ACK,
			Plays(File(t, heard...)), Until(ms))
	}
	greeting := Spoken(t, "en-us", "Thanks for calling. The office is closed today, our hours are nine to five.", 500)
	hello := Spoken(t, "en-us", "Hello, speaking.", 400)
	return map[string]string{
		"0001": picksUp(10_000, hello),
		"0002": picksUp(10_000, greeting),
		"0003": picksUp(12_000, greeting, Silence(600), Beep(t, 1000, 500)),
		"0004": picksUp(10_000),
		"0005": Scenario(Reply(100, "Trying"), Pause(100), Reply(486, "Busy Here"), ACK),
		"0006": Scenario(Reply(100, "Trying"), Pause(100), Reply(180, "Ringing"), Pause(300), Reply(603, "Decline"), ACK),
		"0007": Scenario(Reply(100, "Trying"), Pause(100), Reply(503, "Service Unavailable"), ACK),
		"0008": Scenario(Reply(100, "Trying"), Pause(100), Reply(180, "Ringing"), Cancelled),
		"0009": picksUp(5_000, hello),
		"0011": picksUp(60_000, hello),
	}
}

// soundingAtOnce is how many of these calls sound at the same time: each plays and hears fifty packets a second, and where a machine does
// not come round to that, a greeting has a hole in it, and is another one.
const soundingAtOnce = 5

// The table of what the simulated callees lead to holds for real ones, over trunks of their own; each is told of in full and in order.
func TestNotificationsOfEveryKindOfCallOverATrunk(t *testing.T) {
	t.Parallel()
	w := newCallWorld(t, overSIP(t))
	play := callees(t)
	played := slices.DeleteFunc(slices.Clone(lives), func(l life) bool { return play[l.callee] == "" }) // a fault of the simulation's own
	for some := range slices.Chunk(played, soundingAtOnce) {
		w.playOverTrunks(t, play, some)
	}
}

// playOverTrunks places calls at once, and looks what becomes of each.
func (w *callWorld) playOverTrunks(t *testing.T, play map[string]string, some []life) {
	receivers, ids, peers := map[string]*receiver{}, map[string]string{}, map[string]*Peer{}
	for _, l := range some {
		trunk := "sip-" + strings.ReplaceAll(strings.ReplaceAll(l.name, " ", "-"), ",", "")
		peers[l.name] = SIPp(t, play[l.callee], 1)
		w.one.apply(t, "Trunk", "", trunk, fields{"provider": "sip", "address": fmt.Sprintf("%s:%d", Host, peers[l.name].Port),
			"optionsSeconds": 0})
		r := newReceiver(t, nil)
		p := w.dialOut(t, aCall().and(fields{"target": "tel:+1555000" + l.callee, "notifyurl": r.url, "metadata": fields{"order": "A <1>"},
			"trunk": trunk, "notifyHeaders": fields{"Authorization": "Bearer of-the-dialer", "x-env": "test"}}).and(l.with))
		receivers[l.name], ids[l.name] = r, p.CallID
	}
	for _, l := range some {
		t.Run(l.name, func(t *testing.T) {
			r, callID := receivers[l.name], ids[l.name]

			w.delivered(t, callID, len(l.notices))

			require.Equal(t, l.notices, r.kinds(t))
			for _, n := range r.all() {
				checkEnvelope(t, n, callID)
				checkMembers(t, n, l.with["machineDetection"] != nil)
			}
			checkEnd(t, r.all()[len(l.notices)-1], l)
			s := w.call(t, callID)
			require.Equal(t, calls.Result(l.verdict), s.Verdict())
			require.Equal(t, l.status == "machineDetected", s.MachineDetected)
			require.Equal(t, s.Phase == calls.PhaseCompleted, s.Dialog != nil, "who answered has a dialog that others could take over")
			peers[l.name].Satisfied()
		})
	}
}
