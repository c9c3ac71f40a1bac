package mediastream_test

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/mediastream"
	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
)

// hum speaks each character of a text as 20 ms of one sample, which is that character's.
type hum struct{}

func (hum) Speak(_ context.Context, text, _ string) (out []int16, err error) {
	for range text {
		for range voice.FrameSamples {
			out = append(out, 8_000)
		}
	}
	return out, nil
}

// Given a text of three frames, then three are sent, 20 ms apart, and nothing in silence.
func TestWhatIsSaidIsSentInRealTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		var sent []byte
		begun := time.Now()
		s := mediastream.Open(voice.NewLine(voice.Options{Speaker: hum{}}), voice.NewPacer(voice.PacerOptions{}), func(frame []byte) {
			at, sent = append(at, time.Since(begun)), append(sent, frame...)
		})
		tapped := 0
		s.Tap(func(_, said []int16) {
			if said[0] != 0 {
				tapped++
			}
		})
		time.Sleep(time.Second)
		require.Empty(t, sent, "nothing is said")
		require.NoError(t, s.SayAs(t.Context(), "all", "abc", ""))
		time.Sleep(time.Second)
		s.Close()
		time.Sleep(time.Second) // the pacer has nobody left
		synctest.Wait()
		require.Len(t, at, 3)
		require.Equal(t, 40*time.Millisecond, at[2]-at[0])
		want := make([]byte, voice.FrameSamples)
		samples := make([]int16, voice.FrameSamples)
		for i := range samples {
			samples[i] = 8_000
		}
		voice.MuLaw.Encode(want, samples)
		require.Equal(t, bytes.Repeat(want, 3), sent)
		require.Equal(t, 3, tapped)
		f := <-s.Facts()
		require.Equal(t, []any{calls.FactPlayed, "all", 60, false}, []any{f.Kind, f.ID, f.Ms, f.Interrupted})
	})
}

// Sound may come in pieces of any length: what is heard is the same.
func TestSoundInPieces(t *testing.T) {
	loud, samples := make([]byte, 8_000), make([]int16, 8_000)
	for i := range samples {
		samples[i] = int16(9_000 * (i/20%2*2 - 1)) // half a second of a buzz at 200 Hz
	}
	voice.MuLaw.Encode(loud, samples)
	for _, piece := range []int{1, 160, 200, 1_000} {
		synctest.Test(t, func(t *testing.T) {
			s := mediastream.Open(voice.NewLine(voice.Options{}), voice.NewPacer(voice.PacerOptions{}), func([]byte) {})
			var heard []calls.FactKind
			go func() {
				for f := range s.Facts() {
					heard = append(heard, f.Kind)
				}
			}()
			quiet := bytes.Repeat([]byte{0xff}, 16_000)
			for _, sound := range [][]byte{quiet[:8_000], loud, quiet} {
				for len(sound) > 0 {
					n := min(piece, len(sound))
					s.Hear(sound[:n])
					sound = sound[n:]
					time.Sleep(time.Duration(n) * time.Second / voice.SampleRate)
				}
			}
			time.Sleep(time.Second)
			s.Close()
			time.Sleep(time.Second)
			synctest.Wait()
			require.Contains(t, heard, calls.FactSpeechBegan, piece)
			require.Contains(t, heard, calls.FactSpeechEnded, piece)
		})
	}
}

// Samples of 16 bits may be cut anywhere, and come back as such.
func TestSamplesOfSixteenBits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []byte
		s := mediastream.OpenLinear(voice.NewLine(voice.Options{Speaker: hum{}}), voice.NewPacer(voice.PacerOptions{}), func(frame []byte) {
			sent = append(sent, frame...)
		})
		heard := 0
		go func() {
			for f := range s.Facts() {
				if f.Kind == calls.FactSpeechBegan {
					heard++
				}
			}
		}()
		for i := range 4_000 * 2 {
			sample := uint16(9_000)
			if i/2/20%2 == 0 {
				sample = 65_536 - 9_000
			}
			s.Hear([]byte{byte(sample >> (8 * (i % 2)))})
			if i%16 == 15 {
				time.Sleep(time.Millisecond)
			}
		}
		require.NoError(t, s.SayAs(t.Context(), "", "a", ""))
		time.Sleep(time.Second)
		s.Close()
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, 1, heard)
		require.Len(t, sent, 2*voice.FrameSamples)
		require.InDelta(t, 8_000, int(sent[0])|int(sent[1])<<8, 200)
	})
}
