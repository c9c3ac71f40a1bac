package calls_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
)

var dialog = calls.Dialog{CallID: "f81d4fae@10.0.0.7", Local: "<sip:15550100@10.0.0.7>;tag=ours",
	Remote: "<sip:15550001@10.0.0.9>;tag=theirs", Target: "sip:callee@10.0.0.9:5070", Routes: []string{"<sip:10.0.0.8;lr>"}, CSeq: 2,
	Transport: "udp", Codec: "PCMU", RTP: "10.0.0.9:40000"}

// takenBySpare is a dialog of a call that its own trunk did not take.
func takenBySpare() calls.Dialog {
	d := dialog
	d.Trunk = "spare"
	return d
}

// Given an answered call, when its dialog is told, then it is noted once, and again when another node
// would have to know of a change.
func TestTheDialogOfALeg(t *testing.T) {
	tell := func(d calls.Dialog) calls.EstablishLeg { return calls.EstablishLeg{Dialog: d, At: after(4_110)} }
	moved, later := dialog, dialog
	moved.Target, moved.Routes = "sip:callee@10.0.0.10", nil
	later.CSeq = 17
	told := calls.LegEstablished{At: after(4_110), Dialog: dialog}
	for name, c := range map[string]struct {
		given []event.Payload
		told  calls.Dialog
		want  []event.Payload
	}{
		"answered":                  {connected(t), dialog, []event.Payload{told}},
		"again":                     {append(connected(t), told), dialog, nil},
		"counted on":                {append(connected(t), told), later, nil},
		"their address changed":     {append(connected(t), told), moved, []event.Payload{calls.LegEstablished{At: after(4_110), Dialog: moved}}},
		"before the answer":         {connected(t)[:3], dialog, nil},
		"after the end of the call": {append(connected(t), calls.Completed{At: after(5_000)}), dialog, nil},
	} {
		got, err := tell(c.told).Decide(calls.Calls.State(c.given...))
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
	state := calls.Calls.State(append(connected(t), told)...)
	require.Equal(t, dialog, *state.Dialog)
	state.Dialog.Routes[0] = "changed"
	require.Equal(t, "<sip:10.0.0.8;lr>", told.Dialog.Routes[0], "the state shares nothing with the event")
}

// Given a call that another node could go on with, when its node lets it go, then it may be taken over at once; of another nothing is said.
func TestACallIsLetGo(t *testing.T) {
	told, let := calls.LegEstablished{At: after(4_110), Dialog: dialog}, calls.LetGo{At: after(6_000)}
	gone := calls.LeaseRenewed{At: after(6_000), LeaseUntil: after(6_000)}
	talking := append(connected(t), told)
	for name, c := range map[string]struct {
		given []event.Payload
		want  []event.Payload
	}{
		"people talk":             {talking, []event.Payload{gone}},
		"nobody knows its dialog": {connected(t), nil},
		"it rings":                {connected(t)[:3], nil},
		"it is over":              {append(slices.Clone(talking), calls.Completed{At: after(5_000)}), nil},
	} {
		got, err := let.Decide(calls.Calls.State(c.given...))
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
	require.False(t, calls.Calls.State(talking...).Adoptable(after(6_000)))
	require.True(t, calls.Calls.State(append(talking, gone)...).Adoptable(after(6_000)))
}

// Given an answered call, when the other side holds and resumes, then each change is noted once.
func TestHoldAndResume(t *testing.T) {
	hold, resume := calls.Hold{Held: true, At: after(5_000)}, calls.Hold{At: after(5_900)}
	held, resumed := calls.Held{At: after(5_000)}, calls.Resumed{At: after(5_900)}
	for name, c := range map[string]struct {
		given []event.Payload
		when  calls.Hold
		want  []event.Payload
	}{
		"held":              {connected(t), hold, []event.Payload{held}},
		"held twice":        {append(connected(t), held), hold, nil},
		"resumed":           {append(connected(t), held), resume, []event.Payload{resumed}},
		"was not held":      {connected(t), resume, nil},
		"held again":        {append(connected(t), held, resumed), hold, []event.Payload{held}},
		"before the answer": {connected(t)[:3], hold, nil},
	} {
		got, err := c.when.Decide(calls.Calls.State(c.given...))
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}

// Given a call whose node gives no sign of life, when another takes it over, then it is that one's,
// once, and its requests count on from behind those of the node that is gone.
func TestACallIsTakenOver(t *testing.T) {
	talk := append(connected(t), calls.LegEstablished{At: after(4_110), Dialog: dialog})
	take := func(ms int) calls.Adopt {
		return calls.Adopt{Try: "try-2", Node: "n2", At: after(ms), LeaseUntil: after(ms + 30_000)}
	}
	adopted := calls.Adopted{Try: "try-2", Node: "n2", At: after(30_100), LeaseUntil: after(60_100)}
	for name, c := range map[string]scenario{
		"while its node is there": {talk, take(30_099), nil},
		"when it is not":          {talk, take(30_100), []event.Payload{adopted}},
		"by one":                  {append(slices.Clip(talk), adopted), take(30_200), nil},
		"when that one is gone as well": {append(slices.Clip(talk), adopted), take(60_100),
			[]event.Payload{calls.Adopted{Try: "try-2", Node: "n2", At: after(60_100), LeaseUntil: after(90_100)}}},
		"not while it rings":   {talk[:3], take(30_100), nil},
		"not without a dialog": {connected(t), take(30_100), nil},
		"not when it is over":  {append(slices.Clip(talk), calls.Completed{At: after(9_000)}), take(30_100), nil},
	} {
		t.Run(name, c.run)
	}
	s := calls.Calls.State(append(slices.Clip(talk), adopted)...)
	require.Equal(t, []any{"try-2", "n2", uint32(1_002), after(4_110)}, []any{s.Attempt.ID, s.Node, s.Dialog.CSeq, s.LastSeen})
	require.EqualValues(t, 2, dialog.CSeq)
	at, set, _ := calls.Deadline(adopted)
	require.Equal(t, []any{after(60_100), true}, []any{at, set})
}

// Each member is asked for by a node that takes the leg over: a change of one is told again.
func TestEveryChangeOfADialogIsTold(t *testing.T) {
	state := calls.Calls.State(append(connected(t), calls.LegEstablished{At: after(4_110), Dialog: dialog})...)
	for name, change := range map[string]func(*calls.Dialog){
		"callId": func(d *calls.Dialog) { d.CallID = "other" }, "local": func(d *calls.Dialog) { d.Local = "other" },
		"remote": func(d *calls.Dialog) { d.Remote = "other" }, "target": func(d *calls.Dialog) { d.Target = "other" },
		"routes":    func(d *calls.Dialog) { d.Routes = []string{"<sip:10.0.0.88;lr>"} },
		"transport": func(d *calls.Dialog) { d.Transport = "tls" }, "codec": func(d *calls.Dialog) { d.Codec = "PCMA" },
		"secure": func(d *calls.Dialog) { d.Secure = true }, "rtp": func(d *calls.Dialog) { d.RTP = "10.0.0.9:40002" },
		"trunk": func(d *calls.Dialog) { d.Trunk = "spare" },
	} {
		changed := dialog
		change(&changed)
		got, err := calls.EstablishLeg{Dialog: changed, At: after(5_000)}.Decide(state)
		require.NoError(t, err, name)
		require.Equal(t, []event.Payload{calls.LegEstablished{At: after(5_000), Dialog: changed}}, got, name)
	}
}
