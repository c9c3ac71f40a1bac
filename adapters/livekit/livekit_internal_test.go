package livekit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/livekit/signal"
)

// A server that somebody named leads nowhere inside: not by the addresses for its sound, as they stand in descriptions or
// come one by one. The operator's own may be anywhere.
func TestAddressesInside(t *testing.T) {
	r, err := New(Config{})
	require.NoError(t, err)
	const public, torn = "candidate:1 1 udp 2130706431 8.8.8.8 50000 typ host", "candidate:1 1 udp"
	inside := []string{"candidate:1 1 udp 2130706431 10.0.0.7 50000 typ host", "candidate:1 1 udp 2130706431 127.0.0.1 5432 typ host",
		"candidate:1 1 tcp 1671430143 169.254.169.254 80 typ host tcptype passive", "candidate:1 1 udp 2130706431 ::1 50000 typ host",
		"candidate:1 1 udp 2130706431 0b0c.local 50000 typ host"}
	require.True(t, r.reachable(public, false))
	for _, c := range append(inside, torn, "") {
		require.False(t, r.reachable(c, false), c)
		require.True(t, r.reachable(c, true), c)
	}
	all := "v=0\r\na=" + strings.Join(append(inside, public), "\r\na=") + "\r\na=end-of-candidates\r\n"
	require.Equal(t, "v=0\r\na="+public+"\r\na=end-of-candidates\r\n", r.reachableOnly(all, false))
	require.Equal(t, all, r.reachableOnly(all, true))
}

// Given people who come, publish, stop and go, then each microphone is asked for once, sixteen at a time, and nothing else is.
func TestWhoseMicrophonesAreHeard(t *testing.T) {
	var p presence
	of := func(sid string, tracks ...signal.Track) signal.Participant {
		return signal.Participant{SID: sid, Tracks: tracks}
	}
	mic := func(sid string) signal.Track { return signal.Track{SID: sid, Audio: true, Source: signal.Microphone} }
	ann := of("ann", mic("a-1"), signal.Track{SID: "a-2"}, signal.Track{SID: "a-3", Audio: true, Source: 4})
	bot := signal.Participant{SID: "bot", Kind: signal.Agent, Tracks: []signal.Track{mic("b-1")}}
	tape := signal.Participant{SID: "tape", Kind: signal.Egress}
	require.Equal(t, []string{"a-1"}, p.note([]signal.Participant{ann, bot, tape}))
	people, agents := p.count()
	require.Equal(t, []int{1, 1}, []int{people, agents})
	require.Empty(t, p.note([]signal.Participant{ann}), "once")
	require.Empty(t, p.note([]signal.Participant{of("ann")}))
	require.Equal(t, []string{"a-1"}, p.note([]signal.Participant{ann}), "it was published again")
	var many []signal.Participant
	for i := range 20 {
		many = append(many, of(fmt.Sprint("p-", i), mic(fmt.Sprint("m-", i))))
	}
	require.Len(t, p.note(many), mostHeard-1)
	ann.Gone = true
	require.Equal(t, []string{"m-5"}, p.note([]signal.Participant{ann}), "there is room again for one who waits")
	require.Empty(t, p.note(many[5:]), "and for no other")
	require.Equal(t, []string{"m-6"}, p.note([]signal.Participant{of("p-0")}))
	bot.Gone = true
	p.note([]signal.Participant{bot})
	people, agents = p.count()
	require.Equal(t, []int{20, 0}, []int{people, agents})
}
