// Package voicemails owns what callers leave when nobody takes their call: the
// recording, and what was said in it.
//
// It keeps where the audio lies in blob storage, and the text of its transcript. It
// never touches the audio: a handler stores it before the event names it.
package voicemails

import (
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
)

// Voicemails holds one stream per voicemail: voicemail-<uuid>. Its rules:
//
//   - a voicemail is recorded once and never changed
//   - it has one transcript at most: the first that arrives of the newest round
//   - a transcription that fails is tried again for an hour, then given up
//   - a transcript that was given up or made may be asked for again: that is a round
var Voicemails = event.NewAggregate[State]("voicemails", "voicemail", event.Busy)

// TranscribeFor is for how long a transcription is tried; the last attempt is at its end.
const TranscribeFor = time.Hour

// MaxDelay bounds the pause between two attempts.
const MaxDelay = 10 * time.Minute

// TranscriptStatus is how far the transcript is.
type TranscriptStatus string

// The statuses.
const (
	TranscriptPending TranscriptStatus = "pending"
	TranscriptDone    TranscriptStatus = "done"
	TranscriptFailed  TranscriptStatus = "failed"
)

// State is the state of one voicemail; an empty Status means that there is none.
type State struct {
	Recording Recorded
	Status    TranscriptStatus
	Round     int           // how often a transcript was asked for, from 1: by the recording
	Asked     time.Time     // when this round began
	Attempt   attempt.State // of this round
	Forgotten bool          // the caller was erased, and the recording with them
	Persons   []string      // hashes of whose it is, where nothing else says so any more
}

// later is the round as events name it: the first has no number there, since those on
// the log had none.
func (s State) later() int {
	if s.Round == 1 {
		return 0
	}
	return s.Round
}
