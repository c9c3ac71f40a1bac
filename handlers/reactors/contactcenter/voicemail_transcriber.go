package contactcenter

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
	contactmodels "github.com/parley-platform/parley/projections/contactcenter"
)

// transcribeWithin bounds one attempt. Speech takes longer than other requests do; the
// stream of one voicemail waits for nobody else.
const transcribeWithin = 25 * time.Second

// Transcriber makes text of speech. Implementations are safe for concurrent use.
type Transcriber interface {
	// Transcribe reads the audio to its end; closing it is the caller's. An error is a
	// fault whose message is safe to show: SERVICE_UNAVAILABLE and RATE_LIMIT_EXCEEDED
	// (with Retry where the provider said it) are worth another try with the audio from
	// its beginning, VALIDATION_ERROR (not audio, too large) is not.
	Transcribe(ctx context.Context, a voicemails.Audio) (voicemails.Transcript, error)
}

// VoicemailTranscriber has the text made of recordings. It errs on the side of at
// least once: a node that dies after the provider has answered asks again.
type VoicemailTranscriber struct {
	Store       *eventstore.Store
	Blobs       reactors.Blobs
	Transcriber Transcriber
	Now         func() time.Time
	Log         *slog.Logger
}

// Attempts declares it.
func (x VoicemailTranscriber) Attempts() *reactors.Attempts[voicemails.State] {
	return &reactors.Attempts[voicemails.State]{Name: "voicemail-transcriber", Of: voicemails.Voicemails,
		Events: []event.Payload{voicemails.Recorded{}, voicemails.TranscriptionDue{}, voicemails.TranscriptionAsked{}},
		Timer:  contactmodels.TranscriptionTimer, Side: reactors.AtLeastOnce, Rules: voicemails.Attempts, Do: x.transcript,
		Within: transcribeWithin, Problem: "the recording could not be read", Command: transcriptionCommand,
		Store: x.Store, Now: x.Now, Log: x.Log}
}

// transcriptionCommand names an attempt as it was before there was one machine.
func transcriptionCommand(e reactors.Event, _ reactors.Step, s voicemails.State) eventstore.Command {
	return eventstore.Command{Actor: "reactor:voicemail", RequestID: eventstore.CauseID("voicemail",
		voicemails.Voicemails.StreamID(e.Stream), "transcription/"+voicemails.Attempts.NameOf(s))}
}

func (x VoicemailTranscriber) transcript(ctx context.Context, s voicemails.State) (attempt.Decision[voicemails.State], error) {
	made, err := x.transcribe(ctx, s.Recording)
	return voicemails.Transcribe{Round: s.Round, Transcript: made, At: x.Now()}.Decide, err
}

func (x VoicemailTranscriber) transcribe(ctx context.Context, r voicemails.Recorded) (voicemails.Transcript, error) {
	audio, err := x.Blobs.Open(ctx, r.Blob)
	if err != nil {
		return voicemails.Transcript{}, fmt.Errorf("opening the recording: %w", err)
	}
	defer func() { _ = audio.Close() }()
	return x.Transcriber.Transcribe(ctx, voicemails.Audio{Name: r.FileName, ContentType: r.ContentType, Data: audio, Language: r.Language})
}
