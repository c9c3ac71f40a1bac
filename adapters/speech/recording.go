package speech

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"

	"github.com/parley-platform/parley/domain/wav"
)

// How recordings are made: what telephony carries.
const (
	sampleRate  = wav.Rate
	sampleBytes = 2 // PCM, signed, little endian
	toneHz      = 440
	toneLevel   = 3_000 // of 32,767
	mostSeconds = 3_600
)

// Recording makes a WAV file (PCM, 16 bit, 8 kHz, mono) of a tone, 0 to 3,600 seconds
// long. The comment is what was "said": it stands in the file as its INFO comment
// (ICMT), which the local transcriber reads. Null characters end up as spaces.
func Recording(seconds int, comment string) []byte {
	seconds = min(max(seconds, 0), mostSeconds)
	samples := make([]int16, seconds*sampleRate)
	for i := range samples {
		samples[i] = int16(toneLevel * math.Sin(2*math.Pi*toneHz*float64(i)/sampleRate))
	}
	return wavOf(samples, comment)
}

// wavOf is a WAV file of samples, with a comment, if there is one.
func wavOf(samples []int16, comment string) []byte {
	var body bytes.Buffer
	body.WriteString("WAVE")
	chunk(&body, "fmt ", wav.Format(1))
	if comment != "" {
		chunk(&body, "LIST", comments(comment))
	}
	chunk(&body, "data", wav.Linear(samples))
	var file bytes.Buffer
	file.Grow(body.Len() + 8)
	chunk(&file, "RIFF", body.Bytes())
	return file.Bytes()
}

// comments is the list of what a file says about itself.
func comments(comment string) []byte {
	var info bytes.Buffer
	info.WriteString("INFO")
	chunk(&info, "ICMT", append([]byte(strings.ReplaceAll(comment, "\x00", " ")), 0))
	return info.Bytes()
}

// chunk writes one chunk of a RIFF file; those of odd length are filled up.
func chunk(b *bytes.Buffer, id string, data []byte) {
	b.WriteString(id)
	_ = binary.Write(b, binary.LittleEndian, uint32(len(data))) // a Buffer never fails
	b.Write(data)
	if len(data)%2 == 1 {
		b.WriteByte(0)
	}
}
