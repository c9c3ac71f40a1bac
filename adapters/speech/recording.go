package speech

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
)

// How recordings are made: what telephony carries.
const (
	sampleRate  = 8_000 // Hz, one channel
	sampleBytes = 2     // PCM, signed, little endian
	toneHz      = 440
	toneLevel   = 3_000 // of 32,767
	mostSeconds = 3_600
)

// Recording makes a WAV file (PCM, 16 bit, 8 kHz, mono) of a tone, 0 to 3,600 seconds
// long. The comment is what was "said": it stands in the file as its INFO comment
// (ICMT), which the local transcriber reads. Null characters end up as spaces.
func Recording(seconds int, comment string) []byte {
	seconds = min(max(seconds, 0), mostSeconds)
	samples := make([]byte, seconds*sampleRate*sampleBytes)
	for i := range seconds * sampleRate {
		v := int16(toneLevel * math.Sin(2*math.Pi*toneHz*float64(i)/sampleRate))
		binary.LittleEndian.PutUint16(samples[i*sampleBytes:], uint16(v))
	}
	var body bytes.Buffer
	body.WriteString("WAVE")
	chunk(&body, "fmt ", format())
	if comment != "" {
		var info bytes.Buffer
		info.WriteString("INFO")
		chunk(&info, "ICMT", append([]byte(strings.ReplaceAll(comment, "\x00", " ")), 0))
		chunk(&body, "LIST", info.Bytes())
	}
	chunk(&body, "data", samples)
	var file bytes.Buffer
	file.Grow(body.Len() + 8)
	chunk(&file, "RIFF", body.Bytes())
	return file.Bytes()
}

func format() []byte {
	out := binary.LittleEndian.AppendUint16(nil, 1) // PCM
	out = binary.LittleEndian.AppendUint16(out, 1)  // channels
	out = binary.LittleEndian.AppendUint32(out, sampleRate)
	out = binary.LittleEndian.AppendUint32(out, sampleRate*sampleBytes)
	out = binary.LittleEndian.AppendUint16(out, sampleBytes)
	return binary.LittleEndian.AppendUint16(out, sampleBytes*8)
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
