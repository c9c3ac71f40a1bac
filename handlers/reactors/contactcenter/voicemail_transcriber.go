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
	return voicemails.Transcribe{Round: s.Round, Text: made.Text, Language: made.Language, Provider: made.Provider, Model: made.Model,
		TokensIn: made.TokensIn, TokensOut: made.TokensOut, Charged: made.Charged, At: x.Now()}.Decide, err
}

func (x VoicemailTranscriber) transcribe(ctx context.Context, r voicemails.Recorded) (Transcript, error) {
	audio, err := x.Blobs.Open(ctx, r.Blob)
	if err != nil {
		return Transcript{}, fmt.Errorf("opening the recording: %w", err)
	}
	defer func() { _ = audio.Close() }()
	return x.Transcriber.Transcribe(ctx, Audio{Name: r.FileName, ContentType: r.ContentType, Data: audio, Language: r.Language})
}
