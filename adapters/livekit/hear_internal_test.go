package livekit

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/pion/opus/pkg/oggreader"
	"github.com/pion/rtp"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
)

// sentence is "Good day. I would like to read my meter.", spoken by espeak-ng and encoded by libopus (opusenc), as
// its packets of 20 ms.
func sentence(t testing.TB) (packets [][]byte) {
	data, err := os.ReadFile("testdata/good-day.opus")
	require.NoError(t, err)
	r, _, err := oggreader.NewWith(bytes.NewReader(data))
	require.NoError(t, err)
	for {
		page, _, err := r.ParseNextPage()
		if errors.Is(err, io.EOF) {
			return packets
		}
		require.NoError(t, err)
		for _, p := range page {
			if !bytes.HasPrefix(p, []byte("OpusTags")) {
				packets = append(packets, bytes.Clone(p))
			}
		}
	}
}

// listener is a line that hears packets of Opus, and the clock of both.
type listener struct {
	*voice.Line
	ear    ear
	at     time.Time
	packet rtp.Packet
	loud   int // frames in which something was heard
}

func newListener() *listener {
	l := &listener{at: time.Date(2026, 11, 26, 6, 0, 0, 0, time.UTC)}
	l.packet.SequenceNumber, l.packet.Timestamp = 65_530, 4_294_960_000 // both go round
	l.Line = voice.NewLine(voice.Options{Now: func() time.Time { return l.at }})
	l.ear.to, _ = l.Source()
	l.Tap(func(heard, _ []int16) {
		for _, s := range heard {
			if s > 1_000 {
				l.loud++
				return
			}
		}
	})
	l.Answered(l.at)
	return l
}

func (l *listener) hears(packets ...[]byte) {
	for _, p := range packets {
		if p != nil {
			l.packet.Payload = p
			l.ear.receive(&l.packet)
			l.packet.SequenceNumber++
		}
		l.packet.Timestamp += 960
		l.at = l.at.Add(voice.FrameTime)
		l.Tick(l.at)
	}
}

func (l *listener) told() (kinds []calls.FactKind, words int) {
	l.Close()
	for f := range l.Facts() {
		kinds, words = append(kinds, f.Kind), words+f.Count
	}
	return kinds, words
}

// Given a sentence in Opus, then it is heard as one in any other codec is, also behind a pause of which nothing is sent.
func TestOpusIsHeard(t *testing.T) {
	l := newListener()
	l.hears(sentence(t)...)
	l.hears(make([][]byte, 200)...) // four seconds of which nothing is sent
	require.Greater(t, l.loud, 60)
	before := l.loud
	l.hears(sentence(t)...)
	l.hears(make([][]byte, 100)...)
	require.InDelta(t, before, l.loud-before, 10)
	require.EqualValues(t, 2*len(sentence(t)), l.Quality().Received)
	kinds, words := l.told()
	require.Contains(t, kinds, calls.FactSpeechBegan)
	require.Contains(t, kinds, calls.FactSpeechEnded)
	require.Greater(t, words, 8)
}

// Given packets that are no Opus, or torn, then nothing is heard of them, and what comes behind is.
func TestPacketsThatAreNoOpus(t *testing.T) {
	l := newListener()
	random := rand.New(rand.NewPCG(26, 11))
	whole := sentence(t)
	for range 5_000 {
		p := bytes.Clone(whole[random.IntN(len(whole))])
		switch random.IntN(3) {
		case 0:
			p = p[:random.IntN(len(p))]
		case 1:
			p[random.IntN(len(p))] ^= byte(1 << random.IntN(8))
		case 2:
			for i := range p {
				p[i] = byte(random.Uint32())
			}
		}
		l.hears(p)
	}
	l.hears(make([][]byte, 100)...)
	before := l.loud
	l.hears(whole...)
	l.hears(make([][]byte, 100)...)
	require.Greater(t, l.loud-before, 60)
}

func BenchmarkOpus(b *testing.B) {
	l := newListener()
	packets := sentence(b)
	b.ResetTimer()
	for i := range b.N {
		l.ear.decode(packets[i%len(packets)])
		if l.ear.decoder == nil {
			l.ear.receive(&rtp.Packet{Payload: packets[0]})
		}
	}
}
