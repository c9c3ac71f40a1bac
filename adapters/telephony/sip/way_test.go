package sip_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/sip"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
)

// by is the trunk's address of a way to it.
func by(w *Way) string { return at(&Peer{Port: w.Port}) }

// stays lets a peer answer for a while what is repeated to it.
const stays = "<timewait milliseconds=\"6000\"/>\n"

// forgiving lets a peer go on when it is told again what it knows.
var forgiving = []string{"-default_behaviors", "all,-abortunexp"}

// Given a way on which every fifth message is lost and every fifth comes twice, when calls are placed over it, then each has one end,
// whoever the trunk has talked to was hung up on, and nobody was rung twice.
func TestCallsOverALossyWay(t *testing.T) {
	t.Parallel()
	const placed = 12
	peer := SIPp(t, Scenario(Reply(180, "Ringing"), Pause(100), ReplySDP(200, "OK", Sound(answer)), ACK, BYE, ReplyOK, stays), placed,
		forgiving...)
	way := Between(t, 0, peer, 1, Weather{Lost: 0.2, Doubled: 0.2, Jitter: 100 * time.Millisecond}, Weather{})
	c := newCaller(t, by(way))
	ends := make(chan string, placed)
	for range placed {
		leg := c.dials(t)
		go func() {
			for f := range leg.Facts() {
				leg.facts = append(leg.facts, f)
				if f.Kind == calls.FactEstablished { // the peer knows no BYE before it has the ACK
					way.Awaits(f.Dialog.CallID, "> ACK")
					_ = leg.HangUp(t.Context())
				}
			}
			ends <- strings.TrimPrefix(leg.story(), "ringing, ")
		}()
	}
	answered := 0
	for range placed {
		select {
		case end := <-ends:
			require.Contains(t, []string{"answered, established", "rejected 503 "}, end)
			if end != "rejected 503 " {
				answered++
			}
		case <-time.After(40 * time.Second):
			require.Fail(t, "a call does not end")
		}
	}
	require.Greater(t, answered, placed/2, "messages are sent again")
	require.LessOrEqual(t, len(way.Passed()), placed, "nobody is rung twice")
	for id, passed := range way.Passed() {
		if slices.Contains(passed, "< 200 INVITE") {
			way.Awaits(id, "< 200 BYE")
		}
	}
}

// Given the same way, when calls come in over it, then each is offered once, however often its messages come, and ends once.
func TestCallsThatComeInOverALossyWay(t *testing.T) {
	t.Parallel()
	const placed = 12
	d := newDesk(t, func(in *sip.Incoming, _ calls.Offer) string {
		_ = in.Answer(t.Context(), answersTo)
		return (&heardLeg{t: t, Leg: in.Leg}).over()
	})
	way := Between(t, d.Port(), nil, 2, Weather{Lost: 0.2, Doubled: 0.2, Jitter: 100 * time.Millisecond}, Weather{})
	steps := []string{Invites(ann, Sound(answer)), MayBeTold(100), Told(200), SaysACK(ann, ""),
		Pause(300), strings.Replace(Asks("BYE", ann, 2, ""), "<send ", `<send start_txn="bye" `, 1),
		`<recv response="200" response_txn="bye"/>` + "\n", stays} // and not that of the INVITE again
	SIPp(t, `<?xml version="1.0" encoding="UTF-8"?><scenario name="caller">`+"\n"+strings.Join(steps, "")+"</scenario>\n", placed,
		append(forgiving, "-s", "+15550100", by(way))...)
	called := map[string]bool{}
	for range placed {
		d.over(t, 1)
	}
	for _, o := range d.offered() {
		require.False(t, called[o.ProviderID], "one call however often it is asked for")
		called[o.ProviderID] = true
	}
	require.Len(t, called, len(way.Passed()))
	const whole = "answered, established, hung-up"
	for story := range strings.SplitSeq(d.story(), "; ") { // or its ACK was lost, and it hung up before another came
		require.Contains(t, []string{whole, "hung-up"}, story)
	}
	require.Greater(t, strings.Count(d.story(), whole), placed/2)
}
