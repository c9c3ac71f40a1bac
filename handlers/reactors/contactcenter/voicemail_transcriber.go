package contactcenter

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
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
	Backoff     func(attempt int) time.Duration // the pause after that attempt failed
	Log         *slog.Logger
}

// Reactor declares it.
func (x VoicemailTranscriber) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: "voicemail-transcriber", Categories: []*event.Category{voicemails.Voicemails.Category},
		Side:   reactors.AtLeastOnce,
		Events: []event.Payload{voicemails.Recorded{}, voicemails.TranscriptionDue{}, voicemails.TranscriptionAsked{}},
		Handle: func(ctx context.Context, e reactors.Event) error {
			return x.Due(ctx, voicemails.Voicemails.StreamID(e.Stream))
		}}
}

// Due makes the attempt that a voicemail wants, if it wants one. An error is a fault
// of the store, or the end of ctx: the message is to be delivered again.
func (x VoicemailTranscriber) Due(ctx context.Context, voicemailID string) error {
	stream := voicemails.Voicemails.Stream(voicemailID)
	read, err := eventstore.Read(ctx, x.Store, voicemails.Voicemails, stream)
	if err != nil {
		return fmt.Errorf("folding voicemail %s: %w", voicemailID, err)
	}
	s := read.State
	attempt, wanted := s.Wanted()
	if !wanted {
		return nil
	}
	text, err := x.transcribe(ctx, s.Recording)
	if ended := ctx.Err(); err != nil && ended != nil {
		return ended
	}
	outcome := voicemails.Transcribe{Round: s.Round, Text: text.Text, Language: text.Language, Provider: text.Provider, Model: text.Model,
		TokensIn: text.TokensIn, TokensOut: text.TokensOut, Charged: text.Charged, At: x.Now()}.Decide
	if err != nil {
		x.Log.Warn("a voicemail was not transcribed", "voicemail", voicemailID, "round", s.Round, "attempt", attempt, "error", err)
		outcome = x.failure(s.Round, attempt, err).Decide
	}
	cmd := eventstore.Command{Actor: "reactor:voicemail",
		RequestID: eventstore.CauseID("voicemail", voicemailID, transcriptionStep(s.Round, attempt))}
	if _, err := eventstore.Execute(ctx, x.Store, voicemails.Voicemails, stream, cmd, outcome); err != nil {
		return fmt.Errorf("recording attempt %d of voicemail %s: %w", attempt, voicemailID, err)
	}
	return nil
}

// transcriptionStep names an attempt, so that its outcome is taken once. Those of the
// first round are called as they were before there were others.
func transcriptionStep(round, attempt int) string {
	if round == 1 {
		return fmt.Sprintf("transcription/%d", attempt)
	}
	return fmt.Sprintf("transcription/%d/%d", round, attempt)
}

func (x VoicemailTranscriber) transcribe(ctx context.Context, r voicemails.Recorded) (Transcript, error) {
	ctx, cancel := context.WithTimeout(ctx, transcribeWithin)
	defer cancel()
	audio, err := x.Blobs.Open(ctx, r.Blob)
	if err != nil {
		return Transcript{}, fmt.Errorf("opening the recording: %w", err)
	}
	defer func() { _ = audio.Close() }()
	return x.Transcriber.Transcribe(ctx, Audio{Name: r.FileName, ContentType: r.ContentType, Data: audio, Language: r.Language})
}

// failure says what an error means for the next attempt. Words of a fault may be
// shown; those of any other error stay in the log.
func (x VoicemailTranscriber) failure(round, attempt int, err error) voicemails.FailTranscription {
	f := voicemails.FailTranscription{Round: round, Attempt: attempt, Reason: "the recording could not be read",
		Delay: x.Backoff(attempt), At: x.Now()}
	var told *fault.Error
	if errors.As(err, &told) {
		f.Reason, f.Final, f.Delay = told.Message, told.Code == fault.Validation, max(f.Delay, told.Retry)
	}
	return f
}
