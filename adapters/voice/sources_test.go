package voice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/voice"
)

// Given two who talk at once, then both are heard, each as it comes; what is lost of one is replaced, and who has left
// counts still.
func TestSeveralAreHeardAtOnce(t *testing.T) {
	p := newPhone(voice.Options{})
	ann, annLeaves := p.Source()
	ben, benLeaves := p.Source()
	var heard []int16
	p.Tap(func(frame, _ []int16) { heard = append(heard, frame...) })
	tone := func(value int16) []byte {
		samples, out := make([]int16, voice.FrameSamples), make([]byte, voice.FrameSamples)
		for i := range samples {
			samples[i] = value
		}
		voice.MuLaw.Encode(out, samples)
		return out
	}
	for i := range 20 {
		if i != 10 { // one is lost
			ann.Receive(voice.Packet{Seq: uint16(i), Timestamp: uint32(i * voice.FrameSamples), Payload: tone(4_000)})
		}
		ben.Receive(voice.Packet{Seq: uint16(100 + i), Timestamp: 7_000 + uint32(i*voice.FrameSamples), Payload: tone(1_000)})
		p.tick()
	}
	require.InDelta(t, 5_000, heard[8*voice.FrameSamples], 200)
	require.InDelta(t, 5_000, heard[12*voice.FrameSamples+40], 1_500, "what replaces the lost one fades")
	q := p.Quality()
	require.Equal(t, []any{39, 1}, []any{q.Received, q.Lost})
	annLeaves()
	annLeaves()
	heard = nil
	for range 3 {
		ben.Receive(voice.Packet{Seq: 120, Timestamp: 7_000 + 20*voice.FrameSamples, Payload: tone(1_000)})
		p.tick()
	}
	require.InDelta(t, 1_000, heard[0], 100)
	benLeaves()
	heard = nil
	p.tick()
	require.Zero(t, heard[0])
	require.Equal(t, 40, p.Quality().Received)
}
