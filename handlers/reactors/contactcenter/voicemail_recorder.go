package contactcenter

import (
	"context"
	"fmt"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore"
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
// recording is asked for again under the same id, and kept once.
type VoicemailRecorder struct {
	Store    *eventstore.Store
	Blobs    reactors.Blobs
	Recorder Recorder
	MAC      eventstore.MAC
}

// Reactor declares it.
func (x VoicemailRecorder) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: "voicemail-recorder", Categories: []*event.Category{transfers.Transfers.Category},
		Side:   reactors.AtLeastOnce,
		Events: []event.Payload{transfers.TimedOut{}}, Handle: x.handle}
}

func (x VoicemailRecorder) handle(ctx context.Context, e reactors.Event) error {
	if timedOut, ok := e.Payload.(transfers.TimedOut); !ok || !timedOut.Voicemail {
		return nil
	}
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
	if record.Validate() != nil { // a recording is worth more than the name of who left it
		record.CallerID, record.Language = "", ""
	}
	return eventstore.Do(ctx, x.Store, voicemails.Voicemails, stream, reactors.Because("voicemail-recorder", "record", e),
		record.Decide)
}
