package twiliovoice

import (
	"encoding/base64"
	"encoding/json"
	"errors"
)

// Frame is one message of a stream of a call.
type Frame struct {
	Event    string // connected, start, media, dtmf, mark, stop; another says nothing to us
	StreamID string
	CallID   string            // of start and stop: Twilio's name of the call
	Account  string            // of start and stop
	Custom   map[string]string // of start: the parameters that we gave
	Digit    string            // of dtmf
	Sound    []byte            // of media, what the person says: mu-law at 8 kHz
	Mark     string            // of mark: the one that was reached
}

// wireFrame is a message as Twilio writes it.
type wireFrame struct {
	Event     string      `json:"event"`
	StreamSid string      `json:"streamSid"`
	Start     streamStart `json:"start"`
	Media     struct {
		Track   string `json:"track"`
		Payload string `json:"payload"`
	} `json:"media"`
	Mark struct {
		Name string `json:"name"`
	} `json:"mark"`
	DTMF struct {
		Digit string `json:"digit"`
	} `json:"dtmf"`
	Stop struct {
		AccountSid string `json:"accountSid"`
		CallSid    string `json:"callSid"`
	} `json:"stop"`
}

// streamStart says what a stream is of.
type streamStart struct {
	AccountSid       string            `json:"accountSid"`
	CallSid          string            `json:"callSid"`
	StreamSid        string            `json:"streamSid"`
	CustomParameters map[string]string `json:"customParameters"`
	MediaFormat      *struct {
		Encoding   string `json:"encoding"`
		SampleRate int    `json:"sampleRate"`
		Channels   int    `json:"channels"`
	} `json:"mediaFormat"`
}

// check refuses a stream that nobody could be found by, or whose sound is another than is agreed.
func (s streamStart) check() error {
	if s.StreamSid == "" || len(s.StreamSid) > 64 || s.CallSid == "" {
		return errors.New("the start of a stream lacks streamSid or callSid")
	}
	if of := s.MediaFormat; of != nil && (of.Encoding != "audio/x-mulaw" || of.SampleRate != 8_000 || of.Channels > 1) {
		return errors.New("the sound of a stream is not mu-law at 8 kHz, of one channel")
	}
	return nil
}

// ReadFrame reads a message.
func ReadFrame(data []byte) (Frame, error) {
	var m wireFrame
	if err := json.Unmarshal(data, &m); err != nil {
		return Frame{}, errors.New("a message of the stream is no JSON of its form")
	}
	f := Frame{Event: m.Event, StreamID: m.StreamSid}
	switch m.Event {
	case "":
		return f, errors.New("a message of the stream has no event")
	case "start":
		f.StreamID, f.CallID, f.Account, f.Custom = m.Start.StreamSid, m.Start.CallSid, m.Start.AccountSid, m.Start.CustomParameters
		return f, m.Start.check()
	case "media":
		if m.Media.Track == "outbound" { // what we say ourselves
			return f, nil
		}
		var err error
		if f.Sound, err = base64.StdEncoding.DecodeString(m.Media.Payload); err != nil {
			return f, errors.New("the sound of a stream is no base64")
		}
	case "mark":
		f.Mark = m.Mark.Name
	case "dtmf":
		f.Digit = m.DTMF.Digit
		if len(f.Digit) != 1 || !isDigit(f.Digit[0]) {
			return f, errors.New("a digit of a stream is none")
		}
	case "stop":
		f.CallID, f.Account = m.Stop.CallSid, m.Stop.AccountSid
	}
	return f, nil
}

// Plays has Twilio play a piece of sound, mu-law at 8 kHz, behind what it plays.
func Plays(stream string, sound []byte) any {
	return map[string]any{"event": "media", "streamSid": stream,
		"media": map[string]string{"payload": base64.StdEncoding.EncodeToString(sound)}}
}

// Marks has Twilio say the mark back when it has played what was sent before.
func Marks(stream, name string) any {
	return map[string]any{"event": "mark", "streamSid": stream, "mark": map[string]string{"name": name}}
}

// Clears has Twilio forget what it has not played yet.
func Clears(stream string) any { return map[string]any{"event": "clear", "streamSid": stream} }

func isDigit(c byte) bool {
	return c >= '0' && c <= '9' || c == '*' || c == '#' || c >= 'A' && c <= 'D' || c >= 'a' && c <= 'd'
}
