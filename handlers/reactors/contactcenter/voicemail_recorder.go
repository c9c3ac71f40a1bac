package contactcenter

import (
	"context"
	"fmt"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts/brought"
	"github.com/parley-platform/parley/handlers/reactors"
)

// Recorder lets a caller leave a message.
type Recorder interface {
	// Record asks for the message of a caller. Asked again with the same VoicemailID, it
	// gives the same recording.
	Record(ctx context.Context, o RecordingOrder) (Recording, error)
}

// RecordingOrder says whose message is recorded.
type RecordingOrder struct {
	VoicemailID string
	SessionID   string
	CallerID    string // empty: not known
}

// Recording is what a caller left.
type Recording struct {
	Audio       []byte
	ContentType string // such as audio/wav
	Language    string // empty: not known
	Provider    string // local: made by rules
}

// VoicemailRecorder records a voicemail when a transfer has waited in its queue for
// too long and the queue takes voicemail. It errs on the side of at least once: a
// recording is asked for again under the same id, and kept once. On a call with a real
// other side it is the node that has the call that records: it is asked on the call's
// stream, and what was left becomes the voicemail. Who has hung up by then leaves none.
type VoicemailRecorder struct {
	Store    *eventstore.Store
	Calls    brought.OfSessions
	Blobs    reactors.Blobs
	Recorder Recorder // of all that are not called
	MAC      eventstore.MAC
	Now      func() time.Time
}

const voicemailRecorder = "voicemail-recorder"

// Reactor declares it.
func (x VoicemailRecorder) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: voicemailRecorder, Side: reactors.AtLeastOnce, Handle: x.handle,
		Categories: []*event.Category{transfers.Transfers.Category, calls.Calls.Category},
		Events:     []event.Payload{transfers.TimedOut{}, calls.MessageLeft{}}}
}

func (x VoicemailRecorder) handle(ctx context.Context, e reactors.Event) error {
	switch p := e.Payload.(type) {
	case calls.MessageLeft:
		return x.left(ctx, e, p)
	case transfers.TimedOut:
		if p.Voicemail {
			return x.timedOut(ctx, e)
		}
	}
	return nil
}

func (x VoicemailRecorder) timedOut(ctx context.Context, e reactors.Event) error {
	transfer, err := eventstore.Read(ctx, x.Store, transfers.Transfers, e.Stream)
	if err != nil {
		return fmt.Errorf("folding %s: %w", e.Stream, err)
	}
	request := transfer.State.Request
	id := eventstore.DerivedID(x.MAC, e.ID, "voicemail").String()
	stream := voicemails.Voicemails.Stream(id)
	known, err := eventstore.Read(ctx, x.Store, voicemails.Voicemails, stream)
	if err != nil {
		return fmt.Errorf("folding %s: %w", stream, err)
	}
	if known.State.Status != "" {
		return nil
	}
	of, err := x.Calls.Find(ctx, request.TenantID, request.SessionID)
	if err != nil || of.Left {
		return err
	}
	if of.Stream != "" && of.Call.Provider != calls.ProviderLocal {
		ask := calls.InTurn(calls.TakeMessage{VoicemailID: id, TransferID: request.TransferID, At: x.Now()}.Decide)
		if !of.Call.HasSound() {
			ask = calls.InTurn(ask, calls.MissMessage{VoicemailID: id, Reason: "nobody here hears the call", At: x.Now()}.Decide)
		}
		return eventstore.Do(ctx, x.Store, calls.Calls, of.Stream, reactors.Because(voicemailRecorder, "ask", e), ask)
	}
	recording, err := x.Recorder.Record(ctx, RecordingOrder{VoicemailID: id, SessionID: request.SessionID, CallerID: request.CustomerID})
	if err != nil {
		return fmt.Errorf("recording the voicemail of %s: %w", e.Stream, err)
	}
	media, _, problem := voicemails.MediaOf(recording.ContentType, recording.Audio)
	if problem != "" {
		return reactors.Poison(fmt.Errorf("recording the voicemail of %s: the recording %s", e.Stream, problem))
	}
	blob, err := x.Blobs.Put(ctx, voicemails.Folder(e.Tenant, id), media, recording.Audio)
	if err != nil {
		return fmt.Errorf("storing the voicemail of %s: %w", e.Stream, err)
	}
	record := voicemails.Record{VoicemailID: id, TenantID: request.TenantID, ProjectID: request.ProjectID, SessionID: request.SessionID,
		Blob: blob, CallerID: request.CustomerID, Language: recording.Language, Source: voicemails.QueueTimeout, Provider: recording.Provider,
		At: e.Time}.Holding(recording.Audio, media)
	return x.keep(ctx, e, record)
}

// keep has a voicemail recorded, once.
func (x VoicemailRecorder) keep(ctx context.Context, e reactors.Event, record voicemails.Record) error {
	if record.Validate() != nil { // a recording is worth more than the name of who left it
		record.CallerID, record.Language = "", ""
	}
	return eventstore.Do(ctx, x.Store, voicemails.Voicemails, voicemails.Voicemails.Stream(record.VoicemailID),
		reactors.Because(voicemailRecorder, "record", e), func(s voicemails.State) ([]event.Payload, error) {
			if s.Status != "" {
				return nil, nil
			}
			return record.Decide(s)
		})
}

// left makes a voicemail of what was left on a call; not of somebody who was erased since, with whose call the message is gone.
func (x VoicemailRecorder) left(ctx context.Context, e reactors.Event, left calls.MessageLeft) error {
	call, err := eventstore.Read(ctx, x.Store, calls.Calls, e.Stream)
	if err != nil {
		return fmt.Errorf("folding %s: %w", e.Stream, err)
	}
	if call.State.Forgotten {
		return nil
	}
	transfer, err := eventstore.Read(ctx, x.Store, transfers.Transfers, transfers.Stream(left.TransferID))
	if err != nil {
		return fmt.Errorf("folding the transfer of a voicemail: %w", err)
	}
	request, language := transfer.State.Request, call.State.Request.Flow.Language
	record := voicemails.Record{VoicemailID: left.VoicemailID, TenantID: request.TenantID, ProjectID: request.ProjectID,
		SessionID: request.SessionID, Blob: left.Blob, ContentType: "audio/wav", SizeBytes: left.SizeBytes, DurationMs: left.Ms,
		SHA256: left.SHA256, CallerID: request.CustomerID, Language: language, Source: voicemails.QueueTimeout, Provider: call.State.Provider,
		At: left.At}
	return x.keep(ctx, e, record)
}
