package voicemails

import (
	"encoding/binary"
	"fmt"
	"math"
)

// isWAV goes by the beginning alone.
func isWAV(a []byte) bool {
	return len(a) >= 12 && string(a[:4]) == "RIFF" && string(a[8:12]) == "WAVE"
}

// wavFormat is the chunk "fmt " of a WAV file.
type wavFormat struct {
	encoding       uint16
	channels       uint16
	rate           uint32 // samples of a channel in a second
	bytesPerSecond uint32
	frame          uint16 // bytes of one sample of all channels
	bits           uint16 // of one sample
}

const pcm = 1

// problem is what is wrong with the format; empty if nothing is.
func (f wavFormat) problem() string {
	switch {
	case f.channels == 0:
		return "has 0 channels in its WAV header"
	case f.rate == 0:
		return "has the sample rate 0 in its WAV header"
	case f.bytesPerSecond == 0:
		return "has 0 bytes per second in its WAV header"
	case f.encoding != pcm:
		return ""
	case f.bits == 0:
		return "has samples of 0 bits in its WAV header"
	case uint64(f.bytesPerSecond) != uint64(f.rate)*uint64(f.frame) || uint32(f.frame) != uint32(f.channels)*((uint32(f.bits)+7)/8):
		return fmt.Sprintf("has a WAV header that contradicts itself: "+
			"%d channels of %d bits at %d Hz are not %d bytes per second in frames of %d",
			f.channels, f.bits, f.rate, f.bytesPerSecond, f.frame)
	}
	return ""
}

// wavAudio is what is read of a WAV file.
type wavAudio struct {
	format    wavFormat
	formatted bool
	sound     bool   // there is a chunk "data"
	announced uint32 // bytes of sound, as the header says
	there     int    // bytes of sound
}

// unfilled are the sizes of a stream, whose writer did not know how long it would be.
func unfilled(size uint32) bool { return size == 0 || size == math.MaxUint32 }

// readWAV reads the chunks up to the sound, as far as they go.
func readWAV(audio []byte) (w wavAudio) {
	for rest := audio[12:]; len(rest) >= 8; {
		id, size := string(rest[:4]), binary.LittleEndian.Uint32(rest[4:8])
		rest = rest[8:]
		there := min(uint64(size), uint64(len(rest)))
		switch {
		case id == "fmt " && there >= 16:
			w.formatted = true
			w.format = wavFormat{encoding: binary.LittleEndian.Uint16(rest), channels: binary.LittleEndian.Uint16(rest[2:]),
				rate: binary.LittleEndian.Uint32(rest[4:]), bytesPerSecond: binary.LittleEndian.Uint32(rest[8:]),
				frame: binary.LittleEndian.Uint16(rest[12:]), bits: binary.LittleEndian.Uint16(rest[14:])}
		case id == "data":
			w.sound, w.announced, w.there = true, size, int(there)
			return w
		}
		rest = rest[min(there+uint64(size&1), uint64(len(rest))):]
	}
	return w
}

// wavProblem is what is wrong with the header of a WAV file; empty if nothing is. What
// the sound itself holds is for a player to find out.
func wavProblem(audio []byte) string {
	w := readWAV(audio)
	whole := binary.LittleEndian.Uint32(audio[4:8])
	switch {
	case !w.formatted:
		return `is a WAV file without a chunk "fmt " before its sound`
	case w.format.problem() != "":
		return w.format.problem()
	case !w.sound:
		return `is a WAV file without a chunk "data"`
	case !unfilled(w.announced) && int64(w.announced) > int64(w.there):
		return fmt.Sprintf("has a wrong length: its WAV header says %d bytes of sound, and there are %d", w.announced, w.there)
	case !unfilled(whole) && int64(whole) > int64(len(audio)-8):
		return fmt.Sprintf("has a wrong length: its WAV header says %d bytes, and there are %d", int64(whole)+8, len(audio))
	}
	return ""
}

// DurationMs is how long a WAV recording lasts, by its header; 0 when it does not say
// or the audio is something else.
func DurationMs(audio []byte) int64 {
	if !isWAV(audio) {
		return 0
	}
	w := readWAV(audio)
	if w.format.bytesPerSecond == 0 {
		return 0
	}
	return int64(w.there) * 1000 / int64(w.format.bytesPerSecond)
}
