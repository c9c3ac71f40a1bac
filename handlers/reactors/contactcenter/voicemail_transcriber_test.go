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
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/reactors/contactcenter"
)

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
		log, ears := memory.New(), &hears{err: c.err}
		x := transcriber(t, log, ears, at, recorded)
		log.Fail(memory.Faults{Append: func([]*eventstore.Record) error { return errors.New("the log is away") }})
		require.Error(t, x.Due(t.Context(), "1"), name)
		log.Fail(memory.Faults{})
		require.NoError(t, x.Due(t.Context(), "1"), name)
		require.NoError(t, x.Due(t.Context(), "1"), name)
		stands := memory.Events(log, voicemails.Voicemails.Category, voicemails.Voicemails.Stream("1"))
		require.Equal(t, []event.Payload{recorded, c.then}, stands, name)
		require.LessOrEqual(t, ears.asked, 2, "%s: asked again only because the record was lost", name)
	}
}

// transcriber is given a voicemail.
func transcriber(t *testing.T, log *memory.Log, ears *hears, at time.Time, given ...event.Payload) contactcenter.VoicemailTranscriber {
	store := log.Open(eventstore.Config{Node: "n-1"})
	t.Cleanup(store.Close)
	require.NoError(t, memory.Put(t.Context(), store, voicemails.Voicemails, "acme", voicemails.Voicemails.Stream("1"), given...))
	return contactcenter.VoicemailTranscriber{Store: store, Blobs: recordings{}, Transcriber: ears, Now: func() time.Time { return at },
		Backoff: func(int) time.Duration { return 2 * time.Second }, Log: slog.New(slog.DiscardHandler)}
}

// An outcome is taken once for each step: those of another round have names of their
// own, and those of the first are called as they always were.
func TestEachRoundOfTranscribingHasStepsOfItsOwn(t *testing.T) {
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	log, ears := memory.New(), &hears{err: fault.New(fault.Unavailable, "away")}
	x := transcriber(t, log, ears, at, voicemails.Recorded{VoicemailID: "1", Blob: "v", At: at})
	stream := voicemails.Voicemails.Stream("1")
	for _, then := range []event.Payload{voicemails.TranscriptionDue{Attempt: 2, At: at}, voicemails.TranscriptionFailed{Attempts: 2, At: at},
		voicemails.TranscriptionAsked{Round: 2, At: at}, voicemails.TranscriptionDue{Round: 2, Attempt: 2, At: at}} {
		require.NoError(t, x.Due(t.Context(), "1"))
		require.NoError(t, memory.Put(t.Context(), x.Store, voicemails.Voicemails, "acme", stream, then))
	}
	ears.err = nil
	require.NoError(t, x.Due(t.Context(), "1"))
	var steps []string
	for _, r := range log.Accepted() {
		if r.RequestID != "" {
			steps = append(steps, r.RequestID)
		}
	}
	var want []string
	for _, step := range []string{"transcription/1", "transcription/2", "transcription/2/1", "transcription/2/2"} {
		want = append(want, eventstore.CauseID("voicemail", "1", step))
	}
	require.Equal(t, want, steps)
	all := memory.Events(log, voicemails.Voicemails.Category, stream)
	require.Equal(t, 2, all[len(all)-1].(voicemails.Transcribed).Round)
}
