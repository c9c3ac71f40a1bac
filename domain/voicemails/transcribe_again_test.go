package voicemails_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/voicemails"
)

// later is when the transcript is asked for again: long after the hour of the recording.
var later = t0.Add(48 * time.Hour)

func asked(round int) voicemails.TranscriptionAsked {
	return voicemails.TranscriptionAsked{Round: round, At: later}
}

func TestATranscriptIsAskedForAgain(t *testing.T) {
	again := voicemails.TranscribeAgain{At: later}
	fail := func(round, number int, after time.Duration) voicemails.FailTranscription {
		return voicemails.FailTranscription{Round: round,
			Failure: attempt.Failure{Number: number, Reason: "away", Pause: time.Minute, At: later.Add(after)}}
	}
	text := func(round int) voicemails.Transcribe {
		return voicemails.Transcribe{Round: round, Transcript: voicemails.Transcript{Text: "Better", Language: "en", Provider: "p"}, At: later}
	}
	second := []event.Payload{recorded, gaveUp, asked(2)}
	pause := voicemails.TranscriptionAttemptFailed{Round: 2, Attempt: 1, Reason: "away", RetryAt: later.Add(time.Minute), At: later}
	lastPause := voicemails.TranscriptionAttemptFailed{Round: 2, Attempt: 1, Reason: "away",
		RetryAt: later.Add(time.Hour), At: later.Add(time.Hour - time.Second)}
	better := voicemails.Transcribed{Round: 2, Text: "Better", Language: "en", Provider: "p", At: later}
	for name, c := range map[string]struct {
		given []event.Payload
		when  decider
		then  []event.Payload
	}{
		"after it failed":                  {[]event.Payload{recorded, gaveUp}, again, []event.Payload{asked(2)}},
		"after it was made":                {[]event.Payload{recorded, transcribed}, again, []event.Payload{asked(2)}},
		"after it failed twice":            {append(second, gaveUp), again, []event.Payload{asked(3)}},
		"its text":                         {second, text(2), []event.Payload{better}},
		"a text of the round before":       {second, text(1), nil},
		"a fault of the round before":      {second, fail(1, 1, 0), nil},
		"an attempt that fails":            {second, fail(2, 1, 0), []event.Payload{pause}},
		"one near the end of its own hour": {second, fail(2, 1, time.Hour-time.Second), []event.Payload{lastPause}},
		"the last, at the end of that hour": {second, fail(2, 1, time.Hour), []event.Payload{
			voicemails.TranscriptionFailed{Round: 2, Attempts: 1, Reason: "away", At: later.Add(time.Hour)}}},
		"a timer of the round before": {[]event.Payload{recorded, missed(1), gaveUp, asked(2)}, voicemails.RetryTranscription{At: later}, nil},
		"the timer of this one": {append(second, pause), voicemails.RetryTranscription{At: later.Add(time.Minute)},
			[]event.Payload{voicemails.TranscriptionDue{Round: 2, Attempt: 2, At: later.Add(time.Minute)}}},
	} {
		got, err := c.when.Decide(voicemails.Voicemails.State(c.given...))
		require.NoError(t, err, name)
		require.Equal(t, c.then, got, name)
	}
	of := voicemails.Voicemails.State(recorded, missed(7), due, gaveUp, asked(2))
	require.True(t, of.Attempt.Wanted())
	require.Equal(t, 1, of.Attempt.Number, "each round counts its own")
}

func TestWhenATranscriptIsNotAskedForAgain(t *testing.T) {
	tenth := []event.Payload{recorded, gaveUp}
	for round := 2; round <= voicemails.MaxRounds; round++ {
		got, err := voicemails.TranscribeAgain{At: later}.Decide(voicemails.Voicemails.State(tenth...))
		require.NoError(t, err)
		require.Equal(t, []event.Payload{asked(round)}, got)
		tenth = append(tenth, asked(round), gaveUp)
	}
	for name, c := range map[string]struct {
		given []event.Payload
		code  fault.Code
	}{
		"no voicemail":                  {nil, fault.NotFound},
		"the first is under way":        {[]event.Payload{recorded}, fault.Conflict},
		"it waits for another try":      {[]event.Payload{recorded, missed(1)}, fault.Conflict},
		"another is under way":          {[]event.Payload{recorded, gaveUp, asked(2)}, fault.Conflict},
		"its caller was erased":         {[]event.Payload{recorded, transcribed, voicemails.Erased{}}, fault.Gone},
		"it was asked for ten times":    {tenth, fault.LimitReached},
		"and the last of them was made": {append(tenth[:len(tenth)-1:len(tenth)-1], transcribed), fault.LimitReached},
	} {
		got, err := voicemails.TranscribeAgain{At: later}.Decide(voicemails.Voicemails.State(c.given...))
		require.Empty(t, got, name)
		require.True(t, fault.Is(err, c.code), "%s: %v", name, err)
	}
}
