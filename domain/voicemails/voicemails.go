// Package voicemails owns what callers leave when nobody takes their call: the
// recording, and what was said in it.
//
// It keeps where the audio lies in blob storage, and the text of its transcript. It
// never touches the audio: a handler stores it before the event names it.
package voicemails

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Voicemails holds one stream per voicemail: voicemail-<uuid>. Its rules:
//
//   - a voicemail is recorded once and never changed
//   - it has one transcript at most: the first that arrives
//   - a transcription that fails is tried again for an hour, then given up
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
	Attempt   int       // failed attempts
	RetryAt   time.Time // zero: an attempt may be made now
}

// Wanted reports whether the recording should be transcribed now, and by which
// attempt, from 1.
func (s State) Wanted() (attempt int, wanted bool) {
	return s.Attempt + 1, s.Status == TranscriptPending && s.RetryAt.IsZero()
}

func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
