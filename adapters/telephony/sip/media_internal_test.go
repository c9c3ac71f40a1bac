package sip

import (
	"context"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/pion/rtp"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/legs"
	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/trunks"
)

var (
	peer     = netip.MustParseAddrPort("192.0.2.1:4000")
	beside   = netip.MustParseAddrPort("192.0.2.1:4002")
	somebody = netip.MustParseAddrPort("192.0.2.66:4000")
	noon     = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

func heardBy(t *testing.T, nat bool) *media {
	t.Helper()
	a := &Agent{ports: newPortRange("127.0.0.1", 20_000, 24_999), cfg: Config{Allow: func(a netip.Addr) bool { return a != somebody.Addr() }}}
	m, err := a.openMedia(nat)
	require.NoError(t, err)
	t.Cleanup(m.close)
	m.line = voice.NewLine(voice.Options{})
	m.line.Answered(noon)
	m.toward(description{at: peer, direction: both, events: 101}, voice.MuLaw)
	return m
}

func packet(ssrc uint32, kind uint8, payload ...byte) []byte {
	p := rtp.Packet{Header: rtp.Header{Version: 2, PayloadType: kind, SSRC: ssrc, Timestamp: 7}, Payload: payload}
	raw, _ := p.Marshal()
	return raw
}

// Given a peer's description, then sound is taken from its address, from the source that came first, and from nobody beside it.
func TestWhoseSoundIsTaken(t *testing.T) {
	sound := func(ssrc uint32) []byte { return packet(ssrc, 0, 0xff) }
	type step struct {
		from  netip.AddrPort
		raw   []byte
		after time.Duration
		taken bool
	}
	for name, c := range map[string]struct {
		nat   bool
		steps []step
	}{
		"the peer": {false, []step{{peer, sound(1), 0, true}, {peer, sound(1), 20, true}}},
		"a stranger": {false, []step{{somebody, sound(1), 0, false}, {peer, sound(1), 20, true},
			{somebody, sound(1), 20, false}}},
		"another port of the peer": {false, []step{{beside, sound(1), 0, true}, {peer, sound(1), 20, false}}},
		"two sources at one address": {false, []step{{peer, sound(1), 0, true}, {peer, sound(2), 20, false},
			{peer, sound(1), 40, true}}},
		"another source when the first is mute": {false, []step{{peer, sound(1), 0, true}, {peer, sound(2), 2_000, true}}},
		"behind a NAT": {true, []step{{netip.MustParseAddrPort("198.51.100.7:9"), sound(1), 0, true},
			{peer, sound(1), 20, false}}},
		"behind a NAT, and refused": {true, []step{{somebody, sound(1), 0, false}}},
		"what is no packet": {false, []step{{peer, []byte("hello"), 0, false}, {peer, nil, 0, false},
			{peer, packet(1, 0), 0, false}}},
	} {
		m := heardBy(t, c.nat)
		for i, s := range c.steps {
			_, taken := m.admit(s.raw, s.from, noon.Add(s.after*time.Millisecond))
			require.Equal(t, s.taken, taken, "%s, step %d", name, i)
		}
	}
}

// Given a peer that moves, then its sound is taken from the new address, and no more from the old.
func TestSoundFollowsTheDescription(t *testing.T) {
	m := heardBy(t, false)
	_, taken := m.admit(packet(1, 0, 0xff), peer, noon)
	require.True(t, taken)
	elsewhere := netip.MustParseAddrPort("192.0.2.2:5000")
	m.toward(description{at: elsewhere, direction: both}, voice.MuLaw)
	_, taken = m.admit(packet(1, 0, 0xff), peer, noon)
	require.False(t, taken)
	_, taken = m.admit(packet(9, 0, 0xff), elsewhere, noon)
	require.True(t, taken)
}

// Given keys of both sides, then sound that is sealed by the other is taken, and nothing else.
func TestSealedSound(t *testing.T) {
	ours, theirs := newKey(), newKey()
	m := heardBy(t, false)
	require.NoError(t, m.secure(ours, theirs))
	sealing, err := seal(theirs)
	require.NoError(t, err)
	sealed, err := sealing.EncryptRTP(nil, packet(1, 0, 0xff), nil)
	require.NoError(t, err)
	_, taken := m.admit(packet(1, 0, 0xff), peer, noon)
	require.False(t, taken, "in the clear")
	_, taken = m.admit(sealed, peer, noon)
	require.True(t, taken)
	_, taken = m.admit(sealed, peer, noon)
	require.False(t, taken, "again")
}

// Given a peer that takes another key, then what is sealed by ours goes on where it is: the keystream is used once.
func TestAKeyOfOursGoesOn(t *testing.T) {
	ours := newKey()
	m := heardBy(t, false)
	require.NoError(t, m.secure(ours, newKey()))
	sealing, opening := m.sealing, m.opening
	require.NoError(t, m.secure(slices.Clone(ours), newKey()))
	require.Same(t, sealing, m.sealing)
	require.NotSame(t, opening, m.opening)
	require.NoError(t, m.secure(newKey(), newKey()))
	require.NotSame(t, sealing, m.sealing)
}

// Given a key that is pressed, and its packets come three times each, then it is one digit.
func TestAKeyIsToldOnce(t *testing.T) {
	m := heardBy(t, false)
	for range 3 {
		m.take(packet(1, 101, 5, 10, 0, 160), peer, noon)
		m.take(packet(1, 101, 5, 0x8a, 3, 32), peer, noon)
	}
	m.take(packet(1, 101, 99, 0, 0, 0), peer, noon) // no key
	m.take(packet(1, 101, 5), peer, noon)           // torn
	require.Equal(t, calls.FactDigit, (<-m.line.Facts()).Kind)
	require.Empty(t, m.line.Facts())
}

// Given keys and comfort noise between packets of sound, then none of it is lost.
func TestKeysAreNoLosses(t *testing.T) {
	m := heardBy(t, false)
	for seq, kind := range []uint8{0, 101, 101, 101, 13, 0} {
		p := rtp.Packet{Header: rtp.Header{Version: 2, PayloadType: kind, SequenceNumber: uint16(seq), SSRC: 1}, Payload: []byte{5, 10, 0, 160}}
		raw, err := p.Marshal()
		require.NoError(t, err)
		m.take(raw, peer, noon)
	}
	require.Zero(t, m.line.Quality().Lost)
}

// Given a peer that names no telephone events, then its digits are tones, and so are ours, unless the trunk has
// them in INFO.
func TestKeysAsTones(t *testing.T) {
	tones, err := voice.Tones("7")
	require.NoError(t, err)
	tones = append(tones, make([]int16, 10*voice.FrameSamples)...)
	for name, c := range map[string]struct {
		trunk  trunks.DTMF
		events uint8
		want   []string
	}{
		"no events":          {trunks.DTMFEvents, 0, []string{"7"}},
		"events":             {trunks.DTMFEvents, 101, nil},
		"no events, by INFO": {trunks.DTMFInfo, 0, nil},
	} {
		m := heardBy(t, false)
		m.tones = c.trunk != trunks.DTMFInfo
		m.toward(description{at: peer, direction: both, events: c.events}, voice.ALaw)
		l := &Leg{media: m, dialog: &dialog{}, trunk: Trunk{Settings: trunks.Settings{DTMF: c.trunk}}}
		if c.want != nil {
			require.NoError(t, l.Press(t.Context(), "4"))
		}
		other := voice.NewLine(voice.Options{KeysInBand: true})
		other.Answered(noon)
		for i := range len(tones) / voice.FrameSamples {
			law, payload := voice.Law(i%2), make([]byte, voice.FrameSamples)
			law.Encode(payload, tones[i*voice.FrameSamples:(i+1)*voice.FrameSamples])
			p := voice.Packet{Seq: uint16(i), Timestamp: uint32(i * voice.FrameSamples), Payload: payload, Law: law}
			m.line.Receive(p)
			p.Payload, p.Law = m.line.TickIn(noon, voice.ALaw), voice.ALaw
			other.Receive(p)
			other.Tick(noon)
		}
		digits := func(of *voice.Line) (all []string) {
			for len(of.Facts()) > 0 {
				if f := <-of.Facts(); f.Kind == calls.FactDigit {
					all = append(all, f.Digit)
				}
			}
			return all
		}
		require.Equal(t, c.want, digits(m.line), name)
		if c.want != nil {
			require.Equal(t, []string{"4"}, digits(other), name)
		}
	}
}

// Given digits to be sent, then each is five packets of one time, the last of them three times, and a pause.
func TestKeysThatAreSent(t *testing.T) {
	m := heardBy(t, false)
	require.ErrorIs(t, m.press("1x"), errNoKey)
	require.NoError(t, m.press("1#"))
	var sent, ends int
	var stamps []uint32
	for now := uint32(0); now < 40*frameTicks; now += frameTicks {
		m.mu.Lock()
		key := m.nextPress()
		m.mu.Unlock()
		if key == nil {
			continue
		}
		sent++
		if at := key.stamp(now); len(stamps) == 0 || stamps[len(stamps)-1] != at {
			stamps = append(stamps, at)
		}
		if key.payload()[1]&0x80 != 0 {
			ends += 1 + key.repeats()
		}
	}
	require.Equal(t, []any{10, 6, []uint32{0, 10 * frameTicks}}, []any{sent, ends, stamps})
}

func TestLimitsOfATrunk(t *testing.T) {
	l := limits{running: map[string]int{}, began: map[string][]time.Time{}}
	trunk := Trunk{Name: "main", Settings: trunks.Settings{MaxCalls: 2, CallsPerSecond: 1}}
	require.NoError(t, l.take(t.Context(), "", trunk, noon))
	require.ErrorContains(t, l.take(t.Context(), "", trunk, noon.Add(500*time.Millisecond)), "no more than 1 calls in a second")
	require.NoError(t, l.take(t.Context(), "", trunk, noon.Add(time.Second)))
	_, err := l.keep(t.Context(), "s-1", trunk, noon.Add(3*time.Second))
	require.ErrorContains(t, err, "its 2 calls at a time")
	l.give("", trunk)
	keeps(t, &l, "s-1", trunk, noon.Add(3*time.Second))
	require.NoError(t, l.take(t.Context(), "", Trunk{Name: "main", TenantID: "another"}, noon))
}

// Given places that are kept for calls, then they count, and each is of its own leg until that is dialled over this trunk, or left.
func TestPlacesOfCallsThatAreAboutToBeDialled(t *testing.T) {
	l := limits{running: map[string]int{}, began: map[string][]time.Time{}}
	trunk := Trunk{Name: "main", Settings: trunks.Settings{MaxCalls: 2, CallsPerSecond: 2}}
	leaveOne, leaveTwo := keeps(t, &l, "s-1", trunk, noon), keeps(t, &l, "s-2", trunk, noon)
	full := func(why string) {
		t.Helper()
		_, err := l.keep(t.Context(), "s-3", trunk, noon)
		require.ErrorContains(t, err, "its 2 calls at a time", why)
	}
	full("both are kept")
	require.ErrorContains(t, l.take(t.Context(), "s-3", trunk, noon), "its 2 calls at a time")
	require.NoError(t, l.take(t.Context(), "s-1", trunk, noon))
	require.NoError(t, l.take(t.Context(), "s-2", Trunk{Name: "spare"}, noon))
	leaveOne()
	full("it is dialled: nothing is left")
	leaveTwo()
	keeps(t, &l, "s-3", trunk, noon)() // the second was dialled over another
	l.give("s-1", trunk)
	require.Equal(t, map[string]int{"/spare": 1}, l.running)
	require.Len(t, l.began["/main"], 1)
	require.Len(t, l.places, 1)
}

// Given a reader who is stuck, then what is told takes no more room from some moment on, and how the leg ended
// is not lost.
func TestFactsThatNobodyReadsAreBounded(t *testing.T) {
	q := newFactQueue()
	for range 10 * voice.MostUnread {
		q.put(calls.Fact{Kind: calls.FactHeld})
	}
	q.put(calls.Fact{Kind: calls.FactLost})
	q.close()
	held, last := 0, calls.Fact{}
	for last = range q.out {
		held++
	}
	require.Equal(t, calls.FactLost, last.Kind)
	require.Less(t, held, 4*voice.MostUnread)
	require.Greater(t, held, voice.MostUnread)
}

// tells is a recogniser that says what it has heard when it is closed.
type tells struct{ facts chan calls.Fact }

func (r tells) Recognise(context.Context, string) (voice.Recognition, error) { return r, nil }
func (r tells) Facts() <-chan calls.Fact                                     { return r.facts }
func (tells) Write([]int16) error                                            { return nil }
func (r tells) Close() error {
	r.facts <- calls.Fact{Kind: calls.FactWords, Text: "goodbye"}
	close(r.facts)
	return nil
}

// Given somebody who hangs up while they speak, then the last words are told before that they have hung up, which
// they did when they did.
func TestTheLastWordsOfALegAreTold(t *testing.T) {
	m := heardBy(t, false)
	m.line = voice.NewLine(voice.Options{Recogniser: tells{make(chan calls.Fact)}})
	m.line.Answered(noon)
	speech := make([]byte, voice.FrameSamples)
	for i := range speech {
		speech[i] = byte(i / 20 % 2 << 7) // loud, one way and the other
	}
	for i := range 50 {
		m.line.Receive(voice.Packet{Seq: uint16(i), Timestamp: uint32(i * voice.FrameSamples), Payload: speech})
		m.line.Tick(noon)
	}
	l := &Leg{media: m, history: new(legs.History), facts: newFactQueue()}
	l.facts.follow(m.line.Facts())
	before := time.Now()
	l.hungUpThere()
	after := time.Now()
	l.facts.close()
	var told []string
	for f := range l.Facts() {
		if f.Text != "" || legs.Final(f) {
			told = append(told, string(f.Kind)+" "+f.Text)
		}
		if legs.Final(f) {
			require.WithinRange(t, f.At, before, after)
		}
	}
	require.Equal(t, []string{"words goodbye", "hung-up "}, told)
}
