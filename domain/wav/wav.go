// Package wav is the sound of a telephone as bytes: samples of 16 bits at 8 kHz, the lower byte first, as many
// services have it, and as a file. It reads no files: what others have written may be anything.
package wav

import "encoding/binary"

// Rate is of samples of one channel, in a second.
const Rate = 8_000

// HeaderBytes is how long a header is.
const HeaderBytes = 44

const (
	sampleBytes = 2
	pcm         = 1
)

// Linear is sound as bytes.
func Linear(samples []int16) []byte {
	out := make([]byte, 0, sampleBytes*len(samples))
	for _, s := range samples {
		out = binary.LittleEndian.AppendUint16(out, uint16(s))
	}
	return out
}

// Samples are those of sound as bytes; half a sample at the end is none.
func Samples(linear []byte) []int16 {
	out := make([]int16, len(linear)/sampleBytes)
	for i := range out {
		out[i] = int16(binary.LittleEndian.Uint16(linear[sampleBytes*i:]))
	}
	return out
}

// Format is what a file says of its sound, in its chunk "fmt ".
func Format(channels int) []byte {
	frame := sampleBytes * channels
	out := binary.LittleEndian.AppendUint16(nil, pcm)
	out = binary.LittleEndian.AppendUint16(out, uint16(channels))
	out = binary.LittleEndian.AppendUint32(out, Rate)
	out = binary.LittleEndian.AppendUint32(out, uint32(Rate*frame))
	out = binary.LittleEndian.AppendUint16(out, uint16(frame))
	return binary.LittleEndian.AppendUint16(out, 8*sampleBytes)
}

// File is a file of one channel.
func File(samples []int16) []byte {
	sound := Linear(samples)
	return append(Header(1, len(sound)), sound...)
}

// Header is how a file begins that has so many bytes of sound behind it, and nothing else.
func Header(channels, sound int) []byte {
	format := Format(channels)
	out := make([]byte, 0, HeaderBytes)
	out = append(out, "RIFF"...)
	out = binary.LittleEndian.AppendUint32(out, uint32(HeaderBytes-8+sound))
	out = append(out, "WAVEfmt "...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(format)))
	out = append(out, format...)
	out = append(out, "data"...)
	return binary.LittleEndian.AppendUint32(out, uint32(sound))
}
