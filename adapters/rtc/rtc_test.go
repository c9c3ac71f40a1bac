package rtc_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pion/webrtc/v4"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/rtc"
	"github.com/parley-platform/parley/adapters/rtc/rtctest"
	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
)

const patience = 30 * time.Second

var pacer = voice.NewPacer(voice.PacerOptions{})

func line() *voice.Line { return voice.NewLine(voice.Options{}) }

func serve(t *testing.T, change ...func(*rtc.Config)) *rtc.Server {
	t.Helper()
	cfg := rtc.Config{Listen: "127.0.0.1:0"}
	for _, f := range change {
		f(&cfg)
	}
	s, err := rtc.Listen(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// page is a page with an offer, as a browser makes it.
func page(t *testing.T, with ...func(*webrtc.PeerConnection) error) *rtctest.Page {
	t.Helper()
	p, err := rtctest.New(with...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// connected is a call between a page and a server.
func connected(t *testing.T, s *rtc.Server) (*rtctest.Page, *rtc.Leg) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return connectedBy(ctx, t, s, line())
}

func connectedBy(ctx context.Context, t *testing.T, s *rtc.Server, by *voice.Line) (*rtctest.Page, *rtc.Leg) {
	t.Helper()
	p := page(t)
	leg, answer, err := s.Answer(ctx, by, pacer, p.Offer)
	require.NoError(t, err)
	require.NoError(t, p.Accept(ctx, answer))
	require.Eventually(t, func() bool { return len(p.Heard()) > 0 }, patience, time.Millisecond, "the node hears that it is connected")
	return p, leg
}

// last is the fact with which a leg ends; what was heard before is passed over.
func last(t *testing.T, leg *rtc.Leg) (f calls.Fact) {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case next, open := <-leg.Facts():
			if !open {
				return f
			}
			f = next
		case <-late:
			require.Fail(t, "the leg does not end")
		}
	}
}

// Given a page with a microphone, when it is answered, then both hear each other by the one port, in the
// one codec, and the answer had all there was to know.
func TestAPageIsConnectedInOneRoundTrip(t *testing.T) {
	s := serve(t)
	p := page(t)
	leg, answer, err := s.Answer(t.Context(), line(), pacer, p.Offer)
	require.NoError(t, err)
	require.Contains(t, answer, "m=audio 9 UDP/TLS/RTP/SAVPF 0 101\r\n", "PCMU, and keys by the page's own type")
	require.Contains(t, answer, "a=ice-lite")
	require.Contains(t, answer, "a=end-of-candidates")
	_, port, _ := strings.Cut(s.Address(), ":")
	require.Regexp(t, `a=candidate:\S+ 1 udp \d+ 127\.0\.0\.1 `+port+` typ host`, answer)
	require.Equal(t, 1, s.Legs())
	require.NoError(t, p.Accept(t.Context(), answer))
	go p.Murmur(t.Context())
	require.Eventually(t, func() bool { return len(p.Heard()) > 20 }, patience, 10*time.Millisecond)
	heard := p.Heard()
	for i, packet := range heard[:20] {
		require.Len(t, packet.Payload, voice.FrameSamples)
		require.EqualValues(t, 0, packet.PayloadType)
		require.Equal(t, heard[0].SequenceNumber+uint16(i), packet.SequenceNumber)
		require.Equal(t, heard[0].Timestamp+uint32(voice.FrameSamples*i), packet.Timestamp)
		require.Equal(t, heard[0].SSRC, packet.SSRC)
	}
	require.NoError(t, leg.HangUp(t.Context()))
}

// Whoever hangs up: the other side is told by the connection.
func TestEitherSideHangsUp(t *testing.T) {
	s := serve(t)
	p, leg := connected(t, s)
	require.NoError(t, p.Close())
	require.Equal(t, calls.FactHungUp, last(t, leg).Kind)

	p, leg = connected(t, s)
	require.NoError(t, leg.HangUp(t.Context()))
	require.NoError(t, leg.HangUp(t.Context()), "twice")
	select {
	case <-p.Closed():
	case <-time.After(patience):
		require.Fail(t, "the page was not told")
	}
	require.Zero(t, last(t, leg), "who hangs up is told nothing")

	_, leg = connected(t, s)
	leg.Gone()
	require.Equal(t, calls.FactHungUp, last(t, leg).Kind)
	require.Eventually(t, func() bool { return s.Legs() == 0 }, patience, 10*time.Millisecond)
}

// What was heard before the end is told before it.
func TestTheLastWordsAreTold(t *testing.T) {
	by, want := line(), ""
	_, leg := connectedBy(t.Context(), t, serve(t), by)
	for i := range 40 {
		key := string(rune('0' + i%10))
		by.Digit(key, time.Now())
		want += key
	}
	leg.Gone()
	got := ""
	for f := range leg.Facts() {
		got += f.Digit
		if f.Kind == calls.FactHungUp {
			got += " hung up"
		}
	}
	require.Equal(t, want+" hung up", got)
}

// hum speaks each character of a text as 20 ms of sound.
type hum struct{}

func (hum) Speak(_ context.Context, text, _ string) ([]int16, error) {
	return slices.Repeat([]int16{8_000}, len(text)*voice.FrameSamples), nil
}

// Given a page that is connected, then what is said is known by its id, heard by who taps the line, and cut off at a
// word; and it is known how well the page is heard.
func TestALegHasSound(t *testing.T) {
	p, leg := connectedBy(t.Context(), t, serve(t), voice.NewLine(voice.Options{Speaker: hum{}}))
	go p.Murmur(t.Context())
	spoken := make(chan struct{}, 10_000)
	leg.Tap(func(_, said []int16) {
		if said[0] != 0 {
			spoken <- struct{}{}
		}
	})
	played := func() calls.Fact {
		for f := range leg.Facts() {
			if f.Kind == calls.FactPlayed {
				return f
			}
		}
		return calls.Fact{}
	}
	require.NoError(t, leg.SayAs(t.Context(), "one", "abc", ""))
	f := played()
	require.Equal(t, []any{"one", 60, false}, []any{f.ID, f.Ms, f.Interrupted})
	require.Eventually(t, func() bool { return len(spoken) == 3 }, patience, time.Millisecond, "who taps is told a moment later")
	said := make(chan error, 1)
	go func() { said <- leg.SayAs(t.Context(), "two", strings.Repeat("a", 10_000), "") }()
	for range 4 {
		<-spoken
	}
	leg.Hush()
	f = played()
	require.Equal(t, []any{"two", true}, []any{f.ID, f.Interrupted})
	require.NoError(t, <-said)
	require.Eventually(t, func() bool { return leg.Quality().Received > 0 }, patience, time.Millisecond)
	require.NoError(t, leg.HangUp(t.Context()))
}

// A page that never comes, or goes without a word, has lost its call.
func TestAPageThatGoesAway(t *testing.T) {
	s := serve(t, func(c *rtc.Config) { c.Within = time.Millisecond })
	leg, _, err := s.Answer(t.Context(), line(), pacer, page(t).Offer)
	require.NoError(t, err)
	require.Contains(t, last(t, leg).Error, "not connected in time")
	require.NoError(t, leg.Say(t.Context(), "Hello", "en"), "to nobody")

	p, leg := connected(t, serve(t, func(c *rtc.Config) { c.Quiet = 2 * time.Second }))
	go p.Murmur(t.Context())
	p.Vanishes()
	f := last(t, leg)
	require.Equal(t, calls.FactLost, f.Kind)
	require.Contains(t, f.Error, "nothing came")
}

// Given a page with keys, when they are pressed, then each is heard once; what comes in a form that was not agreed on is
// passed over, and what comes behind it is heard.
func TestAPagePressesKeys(t *testing.T) {
	p, leg := connected(t, serve(t))
	for _, key := range []byte{1, 1, 11} {
		require.NoError(t, p.Press(t.Context(), key))
	}
	got := ""
	for len(got) < 3 {
		got += (<-leg.Facts()).Digit
	}
	require.Equal(t, "11#", got)
	require.Zero(t, leg.Quality().Lost, "keys are no losses")
	require.NoError(t, p.Sends(13, []byte{60}), "comfort noise")
	before := leg.Quality().Received
	go p.Murmur(t.Context())
	require.Eventually(t, func() bool { return leg.Quality().Received > before+10 }, patience, time.Millisecond)
	require.NoError(t, leg.HangUp(t.Context()))
}

// Given a page that is muted by sending nothing at all, then it has its call for as long as it gives signs that it is there.
func TestAPageThatIsMutedIsThere(t *testing.T) {
	const quiet = 2 * time.Second
	by := line()
	p, leg := connectedBy(t.Context(), t, serve(t, func(c *rtc.Config) { c.Quiet = quiet }), by)
	heard := len(p.Heard())
	require.Eventually(t, func() bool { return len(p.Heard())-heard > int(3*quiet/voice.FrameTime/2) }, patience, 10*time.Millisecond,
		"it hears us for longer than that")
	by.Digit("1", time.Now())
	require.Equal(t, "1", (<-leg.Facts()).Digit)
	go p.Murmur(t.Context())
	require.Eventually(t, func() bool { return leg.Quality().Received > 0 }, patience, time.Millisecond, "and is heard again")
	require.NoError(t, leg.HangUp(t.Context()))
}

// A node that stops ends what is left, and takes nothing more.
func TestTheServerStops(t *testing.T) {
	s := serve(t, func(c *rtc.Config) { c.Most = 1 })
	_, leg := connected(t, s)
	_, _, err := s.Answer(t.Context(), line(), pacer, page(t).Offer)
	require.True(t, fault.Is(err, fault.QueueFull), err)
	require.NoError(t, s.Close())
	require.Contains(t, last(t, leg).Error, "the node stops")
	_, _, err = s.Answer(t.Context(), line(), pacer, page(t).Offer)
	require.True(t, fault.Is(err, fault.Unavailable), err)
}

func TestAddressesThatCannotBe(t *testing.T) {
	for _, listen := range []string{"127.0.0.1", "127.0.0.1:x", "203.0.113.1:5000"} {
		_, err := rtc.Listen(rtc.Config{Listen: listen})
		require.Error(t, err, listen)
	}
	_, err := rtc.Listen(rtc.Config{Listen: "127.0.0.1:0", Public: []string{"example.com"}})
	require.ErrorContains(t, err, "the public addresses")
	s := serve(t, func(c *rtc.Config) { c.Public = []string{"203.0.113.7"} })
	_, answer, err := s.Answer(t.Context(), line(), pacer, page(t).Offer)
	require.NoError(t, err)
	require.Contains(t, answer, "203.0.113.7")
	require.NotContains(t, answer, "127.0.0.1 ")
}

// Chromium's offer, as it was recorded, with sections that are refused or passed over.
func TestOffersThatAreNone(t *testing.T) {
	chromium, err := os.ReadFile("testdata/chromium.sdp")
	require.NoError(t, err)
	s := serve(t)
	offer := string(chromium)
	edit := func(old, with string) string {
		t.Helper()
		require.Contains(t, offer, old)
		return strings.ReplaceAll(offer, old, with)
	}
	for name, c := range map[string]struct{ offer, says string }{
		"nothing":        {"", "must have 1 to 16 media sections"},
		"torn":           {offer[:120], "is no session description"},
		"torn in a line": {offer[:len(offer)/2] + "\x00", "is no session description"},
		"JSON":           {`{"type":"offer"}`, "is no session description"},
		"no codec of us": {edit("SAVPF 111 63 9 0 8 13 110 126", "SAVPF 111 63 9 8 13 110 126"), "offers no PCMU"},
		"listens only":   {edit("a=sendrecv", "a=recvonly"), "both ways"},
		"no fingerprint": {edit("a=fingerprint", "a=finger"), "no fingerprint"},
		"no ufrag":       {edit("a=ice-ufrag", "a=ice"), "no ice-ufrag"},
		"in the clear":   {edit("UDP/TLS/RTP/SAVPF", "RTP/AVP"), "only UDP/TLS/RTP/SAVPF"},
		"no audio":       {edit("m=audio 41073", "m=audio 0"), "offers 0"},
		"two of audio":   {offer + offer[strings.Index(offer, "m=audio"):], "offers 2"},
		"data channel":   {offer + "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n", "data channel"},
		"sections":       {offer + strings.Repeat("m=video 9 UDP/TLS/RTP/SAVPF 96\r\n", 16), "1 to 16 media sections"},
		"too big":        {offer + strings.Repeat("a=x\r\n", 13_200), "at most 65536 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := s.Answer(t.Context(), line(), pacer, c.offer)
			require.ErrorContains(t, err, c.says)
			require.True(t, fault.Is(err, fault.Validation))
			require.Zero(t, s.Legs())
		})
	}
	_, answer, err := s.Answer(t.Context(), line(), pacer, offer)
	require.NoError(t, err)
	require.Contains(t, answer, "UDP/TLS/RTP/SAVPF 0 126\r\n")
	_, answer, err = s.Answer(t.Context(), line(), pacer, edit("telephone-event/8000", "x/8000"))
	require.NoError(t, err)
	require.Contains(t, answer, "UDP/TLS/RTP/SAVPF 0\r\n", "who has no keys")
}

// Video is answered with none.
func TestAnOfferWithVideo(t *testing.T) {
	p := page(t, func(pc *webrtc.PeerConnection) error {
		_, err := pc.AddTransceiverFromKind(webrtc.RTPCodecTypeVideo,
			webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionRecvonly})
		return err
	})
	_, answer, err := serve(t).Answer(t.Context(), line(), pacer, p.Offer)
	require.NoError(t, err)
	require.Contains(t, answer, "m=video 0 ")
	require.NoError(t, p.Accept(t.Context(), answer))
}
