package mediastream

import (
	"encoding/binary"
	"sync"

	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/wav"
)

// Linear is the name of samples of 16 bits, the lower byte first.
const Linear = "pcm_s16le"

// LinearStream is a Stream whose other side has samples of 16 bits at 8 kHz.
type LinearStream struct {
	*Stream

	mu   sync.Mutex
	half []byte // of what came: the first byte of a sample
}

// OpenLinear is Open for samples of 16 bits.
func OpenLinear(line *voice.Line, pacer *voice.Pacer, send func(frame []byte)) *LinearStream {
	var samples [voice.FrameSamples]int16
	var frame [2 * voice.FrameSamples]byte
	return &LinearStream{Stream: Open(line, pacer, func(law []byte) {
		voice.MuLaw.Decode(samples[:], law)
		for i, s := range samples {
			binary.LittleEndian.PutUint16(frame[2*i:], uint16(s))
		}
		send(frame[:])
	})}
}

// Hear takes a piece of sound, of any length, also of half a sample.
func (s *LinearStream) Hear(sound []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sound = append(s.half, sound...)
	samples := wav.Samples(sound)
	s.half = append([]byte(nil), sound[2*len(samples):]...)
	law := make([]byte, len(samples))
	voice.MuLaw.Encode(law, samples)
	s.Stream.Hear(law)
}
