// Package speech makes text of speech, and speech of text. Recordings are read by OpenAI, or by a
// local provider that hears nothing and reads what a recording says about itself; texts are spoken
// by a program of this machine or by OpenAI. It also makes the recordings of the simulation.
//
// It owns how a provider is asked and what its answers mean, and keeps what was spoken for a while
// (Spoken). It logs nothing that was said, and decides nothing.
package speech

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/voicemails"
)

// ProviderLocal is the name of the local provider.
const ProviderLocal = "local"

// MaxAudio bounds a recording, in bytes; it is OpenAI's limit.
const MaxAudio = 25_000_000

// Local is the provider of a server that is told of no other. Of a WAV file it gives the
// INFO comment (ICMT), if there is one, as what was said; else, for want of ears,
// "[voicemail of N seconds, not transcribed]", N rounded up. Of other formats it gives
// "[voicemail, not transcribed]".
type Local struct{}

// Transcribe implements the port.
func (Local) Transcribe(ctx context.Context, a voicemails.Audio) (voicemails.Transcript, error) {
	data, err := io.ReadAll(limited(a.Data))
	if err != nil {
		return voicemails.Transcript{}, readFault(err)
	}
	if err := ctx.Err(); err != nil {
		return voicemails.Transcript{}, fault.New(fault.Unavailable, "the transcription was given up").Because(err)
	}
	if len(data) == 0 {
		return voicemails.Transcript{}, fault.Field("audio", "is empty")
	}
	t := voicemails.Transcript{Text: "[voicemail, not transcribed]", Language: a.Language, Provider: ProviderLocal}
	w, ok := parseWAV(data)
	if ok && w.problem != "" {
		return voicemails.Transcript{}, fault.Field("audio", "%s", w.problem)
	}
	switch {
	case ok && w.comment != "":
		t.Text = w.comment
	case ok && w.bytesPerSecond > 0:
		t.Text = fmt.Sprintf("[voicemail of %d seconds, not transcribed]", (w.audioBytes+w.bytesPerSecond-1)/w.bytesPerSecond)
	}
	return t, nil
}

// heard is what is read of a WAV file.
type heard struct {
	bytesPerSecond int
	audioBytes     int // that are really there, whatever the header promises
	rate           int
	sound          []byte // the first of its data
	comment        string
	problem        string // with the format; empty if there is none, or no format
}

const mostComment = 16 << 10 // bytes of a comment that are read

// parseWAV reads the chunks of a RIFF file as far as they go: recordings that were cut
// off, and streams whose sizes were never filled in, are common.
func parseWAV(data []byte) (w heard, ok bool) {
	if len(data) < 12 || string(data[:4]) != "RIFF" || string(data[8:12]) != "WAVE" {
		return w, false
	}
	eachChunk(data[12:], func(id string, body []byte) {
		switch {
		case id == "fmt " && len(body) >= 16:
			w.bytesPerSecond = int(binary.LittleEndian.Uint32(body[8:12]))
			w.rate = int(binary.LittleEndian.Uint32(body[4:8]))
			w.problem = formatProblem(binary.LittleEndian.Uint16(body[2:4]), binary.LittleEndian.Uint32(body[4:8]))
		case id == "data":
			w.audioBytes += len(body)
			if w.sound == nil {
				w.sound = body
			}
		case id == "LIST" && bytes.HasPrefix(body, []byte("INFO")):
			eachChunk(body[4:], func(id string, body []byte) {
				if text, _, _ := bytes.Cut(body[:min(len(body), mostComment)], []byte{0}); id == "ICMT" && w.comment == "" {
					w.comment = strings.TrimSpace(strings.ToValidUTF8(string(text), "\uFFFD"))
				}
			})
		}
	})
	return w, true
}

func formatProblem(channels uint16, rate uint32) string {
	switch {
	case channels == 0:
		return "has 0 channels in its WAV header"
	case rate == 0:
		return "has the sample rate 0 in its WAV header"
	}
	return ""
}

func eachChunk(data []byte, visit func(id string, body []byte)) {
	for len(data) >= 8 {
		id, size := string(data[:4]), int64(binary.LittleEndian.Uint32(data[4:8]))
		data = data[8:]
		body := data[:min(size, int64(len(data)))]
		visit(id, body)
		data = data[min(size+size%2, int64(len(data))):]
	}
}

var errTooLarge = errors.New("more than 25 MB")

// limited reads at most MaxAudio and fails beyond.
func limited(r io.Reader) io.Reader {
	if r == nil {
		r = strings.NewReader("")
	}
	return &limitedReader{r, MaxAudio}
}

type limitedReader struct {
	r    io.Reader
	left int
}

func (l *limitedReader) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if l.left -= n; l.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

func readFault(err error) error {
	if errors.Is(err, errTooLarge) {
		return fault.Field("audio", "must be at most 25 MB")
	}
	return fault.New(fault.Unavailable, "the recording cannot be read").Because(err)
}
