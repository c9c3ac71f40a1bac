package contactcenter_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/handlers/reactors/contactcenter"
)

// voicemailLog is the stream of one voicemail, in memory.
type voicemailLog struct {
	events []event.Payload
	steps  []string
	away   bool
}

func (l *voicemailLog) Load(context.Context, string) (voicemails.State, error) {
	return voicemails.Voicemails.State(l.events...), nil
}

func (l *voicemailLog) Decide(_ context.Context, _, step string, decide func(voicemails.State) ([]event.Payload, error)) error {
	if l.away {
		return errors.New("the log is away")
	}
	l.steps = append(l.steps, step)
	events, err := decide(voicemails.Voicemails.State(l.events...))
	l.events = append(l.events, events...)
	return err
}

// recordings has one blob, "v".
type recordings struct{}

func (recordings) Put(context.Context, string, string, []byte) (string, error) {
	return "", errors.New("a transcriber stores nothing")
}

type noCloser struct{ *bytes.Reader }

func (noCloser) Close() error { return nil }

func (recordings) Open(_ context.Context, name string) (io.ReadSeekCloser, error) {
	if name != "v" {
		return nil, errors.New("no blob")
	}
	return noCloser{bytes.NewReader([]byte("audio"))}, nil
}

// hears answers with a text or an error.
type hears struct {
	err   error
	asked int
}

func (h *hears) Transcribe(_ context.Context, a contactcenter.Audio) (contactcenter.Transcript, error) {
	h.asked++
	heard, err := io.ReadAll(a.Data)
	if err != nil || h.err != nil {
		return contactcenter.Transcript{}, errors.Join(h.err, err)
	}
	return contactcenter.Transcript{Text: "said: " + string(heard) + " " + a.Name + " " + a.ContentType + " " + a.Language, Provider: "p",
		Model: "m", TokensIn: 14, TokensOut: 45, Charged: time.Second}, nil
}

func TestTranscribingAVoicemail(t *testing.T) {
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	limited := fault.New(fault.RateLimit, "too many").After(time.Minute)
	for name, c := range map[string]struct {
		blob string
		err  error
		then event.Payload
	}{
		"what was said": {"v", nil, voicemails.Transcribed{Text: "said: audio a.wav audio/wav en", Language: "en", Provider: "p",
			Model: "m", TokensIn: 14, TokensOut: 45, ChargedMs: 1000, At: at}},
		"the provider is away": {"v", fault.New(fault.Unavailable, "away"), voicemails.TranscriptionAttemptFailed{Attempt: 1, Reason: "away",
			RetryAt: at.Add(2 * time.Second), At: at}},
		"it says when": {"v", limited, voicemails.TranscriptionAttemptFailed{Attempt: 1, Reason: "too many", RetryAt: at.Add(time.Minute),
			At: at}},
		"it is not audio": {"v", fault.New(fault.Validation, "no speech"), voicemails.TranscriptionFailed{Attempts: 1, Reason: "no speech",
			At: at}},
		"words of our own": {"v", errors.New("secret"), voicemails.TranscriptionAttemptFailed{Attempt: 1,
			Reason: "the recording could not be read", RetryAt: at.Add(2 * time.Second), At: at}},
		"the file is away": {"w", nil, voicemails.TranscriptionAttemptFailed{Attempt: 1, Reason: "the recording could not be read",
			RetryAt: at.Add(2 * time.Second), At: at}},
	} {
		recorded := voicemails.Recorded{VoicemailID: "1", FileName: "a.wav", ContentType: "audio/wav", Language: "en", Blob: c.blob, At: at}
		log, ears := &voicemailLog{events: []event.Payload{recorded}}, &hears{err: c.err}
		x := contactcenter.VoicemailTranscriber{Store: log, Blobs: recordings{}, Transcriber: ears, Now: func() time.Time { return at },
			Backoff: func(int) time.Duration { return 2 * time.Second }, Log: slog.New(slog.DiscardHandler)}
		log.away = true
		require.Error(t, x.Due(t.Context(), "1"), name)
		log.away = false
		require.NoError(t, x.Due(t.Context(), "1"), name)
		require.NoError(t, x.Due(t.Context(), "1"), name)
		require.Equal(t, []event.Payload{log.events[0], c.then}, log.events, name)
		require.LessOrEqual(t, ears.asked, 2, "%s: asked again only because the record was lost", name)
	}
}

// An outcome is taken once for each step: those of another round have names of their
// own, and those of the first are called as they always were.
func TestEachRoundOfTranscribingHasStepsOfItsOwn(t *testing.T) {
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	log := &voicemailLog{events: []event.Payload{voicemails.Recorded{VoicemailID: "1", Blob: "v", At: at}}}
	ears := &hears{err: fault.New(fault.Unavailable, "away")}
	x := contactcenter.VoicemailTranscriber{Store: log, Blobs: recordings{}, Transcriber: ears, Now: func() time.Time { return at },
		Backoff: func(int) time.Duration { return time.Second }, Log: slog.New(slog.DiscardHandler)}
	for _, then := range []event.Payload{voicemails.TranscriptionDue{Attempt: 2, At: at}, voicemails.TranscriptionFailed{Attempts: 2, At: at},
		voicemails.TranscriptionAsked{Round: 2, At: at}, voicemails.TranscriptionDue{Round: 2, Attempt: 2, At: at}} {
		require.NoError(t, x.Due(t.Context(), "1"))
		log.events = append(log.events, then)
	}
	ears.err = nil
	require.NoError(t, x.Due(t.Context(), "1"))
	require.Equal(t, []string{"transcription/1", "transcription/2", "transcription/2/1", "transcription/2/2"}, log.steps)
	require.Equal(t, 2, log.events[len(log.events)-1].(voicemails.Transcribed).Round)
}
