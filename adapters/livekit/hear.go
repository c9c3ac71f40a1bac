package livekit

import (
	"strings"

	"github.com/pion/opus"
	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"

	"github.com/parley-platform/parley/adapters/voice"
)

// hear takes what one of the room says, beside the others, until there is nothing more.
func (l *Leg) hear(t *webrtc.TrackRemote) {
	source, leave := l.line.Source()
	defer leave()
	receive := func(p *rtp.Packet) {
		source.Receive(voice.Packet{Seq: p.SequenceNumber, Timestamp: p.Timestamp, Marker: p.Marker, Payload: p.Payload})
	}
	if strings.EqualFold(t.Codec().MimeType, webrtc.MimeTypeOpus) {
		receive = (&ear{to: source}).receive
	}
	for {
		p, _, err := t.ReadRTP()
		if err != nil {
			return
		}
		receive(p)
	}
}

// ear makes packets of Opus those of a line: 8 kHz, in mu-law. They are opened as they come; order, pauses and
// what is lost are the line's.
type ear struct {
	to      *voice.Source
	decoder *opus.Decoder
	begun   bool
	last    uint32 // timestamp of the packet before, of Opus
	at      uint32 // the same, of the line
	samples [longest]int16
	law     [longest]byte
}

const (
	longest = voice.SampleRate * 120 / 1000 // of one packet
	perOpus = opusRate / voice.SampleRate
)

func (e *ear) receive(p *rtp.Packet) {
	if e.decoder == nil {
		d, err := opus.NewDecoderWithOutput(voice.SampleRate, 1)
		if err != nil {
			return // it would be the program's fault, and tests would know
		}
		e.decoder = &d
	}
	if !e.begun {
		e.begun, e.last = true, p.Timestamp
	}
	e.at += uint32(int32(p.Timestamp-e.last) / perOpus) // both may go round
	e.last = p.Timestamp
	n := e.decode(p.Payload)
	if n == 0 {
		return // silence that is not sent, or nothing that can be heard
	}
	voice.MuLaw.Encode(e.law[:n], e.samples[:n])
	e.to.Receive(voice.Packet{Seq: p.SequenceNumber, Timestamp: e.at, Marker: p.Marker, Payload: e.law[:n]})
}

// decode gives so many samples. What people send is theirs: a packet that the decoder breaks on is passed over,
// and the next is heard by a new one.
func (e *ear) decode(payload []byte) (n int) {
	defer func() {
		if recover() != nil {
			n, e.decoder = 0, nil
		}
	}()
	n, err := e.decoder.DecodeToInt16(payload, e.samples[:])
	if err != nil {
		return 0
	}
	return n
}
