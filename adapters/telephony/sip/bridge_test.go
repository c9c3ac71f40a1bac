package sip_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
)

// loud counts the frames that are no silence, of what is heard on a leg and of what is sent to it.
func (l *heardLeg) loud() (heard, sent *atomic.Int64) {
	heard, sent = new(atomic.Int64), new(atomic.Int64)
	l.Tap(func(theirs, ours []int16) {
		for count, frame := range map[*atomic.Int64][]int16{heard: theirs, sent: ours} {
			if slices.Max(frame) > 500 {
				count.Add(1)
			}
		}
	})
	return heard, sent
}

// Given a telephone that sends a sound of its own, and a peer that sends back what it gets, when the two are joined, then the one's
// sound comes to the other by RTP, and from there to the one; before that each is alone.
func TestTwoLegsHearEachOther(t *testing.T) {
	t.Parallel()
	phone := Telephone(t, "+15550000001")
	echo := SIPp(t, Scenario(ReplySDP(200, "OK", Sound(answer)), ACK, BYE, ReplyOK), 1, "-rtp_echo")
	one, other := newCaller(t, at(phone), behindNAT).dials(t), newCaller(t, at(echo)).dials(t)
	one.until(calls.FactEstablished)
	other.until(calls.FactEstablished)
	heard, back := one.loud()
	there, sent := other.loud()
	some := func(count *atomic.Int64, what string) {
		t.Helper()
		require.Eventually(t, func() bool { return count.Load() > 25 }, 30*time.Second, 20*time.Millisecond, what)
	}
	some(heard, "the telephone sends its sound")
	require.Equal(t, []int64{0, 0, 0}, []int64{back.Load(), there.Load(), sent.Load()}, "nobody hears it")
	require.NoError(t, one.Join(other.Leg))
	some(sent, "it goes to the peer")
	some(there, "which has got it, and sends it back")
	some(back, "to the telephone")

	require.NoError(t, other.HangUp(t.Context()))
	other.over()
	echo.Satisfied()
	require.NoError(t, one.HangUp(t.Context()))
	one.over()
}
