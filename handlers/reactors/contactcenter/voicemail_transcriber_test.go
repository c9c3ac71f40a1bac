package contactcenter_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/contactcenter"
	"github.com/parley-platform/parley/handlers/reactors/reactorstest"
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

func (h *hears) Transcribe(_ context.Context, a voicemails.Audio) (voicemails.Transcript, error) {
	h.asked++
	heard, err := io.ReadAll(a.Data)
	if err != nil || h.err != nil {
		return voicemails.Transcript{}, errors.Join(h.err, err)
	}
	return voicemails.Transcript{Text: "said: " + string(heard) + " " + a.Name + " " + a.ContentType + " " + a.Language, Provider: "p",
		Model: "m", TokensIn: 14, TokensOut: 45, Charged: time.Second}, nil
}

// transcribing is one voicemail, and who listens to it.
type transcribing struct {
	*reactorstest.World
	ears *hears
	does *reactors.Attempts[voicemails.State]
}

func newTranscribing(t *testing.T, recorded voicemails.Recorded, ears *hears) *transcribing {
	w := &transcribing{World: reactorstest.New(t, recorded.At), ears: ears}
	reactorstest.Given(w.World, voicemails.Voicemails, "voicemail-1", recorded)
	w.does = contactcenter.VoicemailTranscriber{Store: w.Store, Blobs: recordings{}, Transcriber: ears, Now: w.Now, Log: w.Quiet}.Attempts()
	w.does.Rules.Backoff.Jitter = 0
	return w
}

// play hands over all events so far; what is wanted then is attempted once.
func (w *transcribing) play() error { return w.Play(w.Context(), w.does.Reactor()) }

func (w *transcribing) events() []event.Payload {
	return memory.Events(w.Log, voicemails.Voicemails.Category, "voicemail-1")
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
		w := newTranscribing(t, recorded, &hears{err: c.err})
		w.Log.Fail(memory.Faults{Append: func([]*eventstore.Record) error { return errors.New("the log is away") }})
		require.Error(t, w.play(), name)
		w.Log.Fail(memory.Faults{})
		require.NoError(t, w.play(), name)
		require.NoError(t, w.play(), name)
		require.Equal(t, []event.Payload{recorded, c.then}, w.events(), name)
		require.LessOrEqual(t, w.ears.asked, 1, "%s: what could not be recorded is not asked for again", name)
	}
}

// An outcome is taken once for each step: those of another round have names of their
// own, and those of the first are called as they always were.
func TestEachRoundOfTranscribingHasStepsOfItsOwn(t *testing.T) {
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	w := newTranscribing(t, voicemails.Recorded{VoicemailID: "1", Blob: "v", At: at}, &hears{err: fault.New(fault.Unavailable, "away")})
	pause := func() {
		w.Passes(time.Minute)
		require.NoError(t, w.Wake(t.Context(), w.does, "voicemail-1"))
	}
	require.NoError(t, w.play())
	pause()
	require.NoError(t, w.play())
	reactorstest.Given(w.World, voicemails.Voicemails, "voicemail-1", voicemails.TranscriptionFailed{Attempts: 2, At: at},
		voicemails.TranscriptionAsked{Round: 2, At: w.Now()})
	require.NoError(t, w.play())
	pause()
	w.ears.err = nil
	require.NoError(t, w.play())
	var steps []string
	for _, r := range w.Log.Accepted() {
		if r.RequestID != "" {
			steps = append(steps, r.RequestID)
		}
	}
	step := func(name string) string { return eventstore.CauseID("voicemail", "1", "transcription/"+name) }
	require.Equal(t, []string{step("1"), step("2"), step("2/1"), step("2/2")}, steps)
	require.Equal(t, 2, w.events()[len(w.events())-1].(voicemails.Transcribed).Round)
}
