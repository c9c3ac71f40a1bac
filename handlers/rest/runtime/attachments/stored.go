package attachments

import (
	"context"
	"slices"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/reporting"
)

// Stored knows where the files of sessions lie, for who has the signed address of one. Their streams tell.
type Stored struct{ Store *eventstore.Store }

// Named finds a file by sessions.FileID. One of somebody who was erased, or has taken it back, is there no more.
func (x Stored) Named(ctx context.Context, id string) (f reporting.File, ok bool, err error) {
	session, attachment, ok := sessions.OfFile(id)
	if !ok {
		return f, false, nil
	}
	told, err := eventstore.Recent(ctx, x.Store, sessions.Sessions, sessions.Sessions.Stream(session),
		eventstore.BackTo(func(p event.Payload) bool {
			file, is := p.(sessions.Attached)
			return is && file.AttachmentID == attachment
		}))
	if err != nil {
		return f, false, err
	}
	for _, e := range told.Events {
		if e, is := e.Payload.(sessions.Attached); is && e.AttachmentID == attachment {
			f = reporting.File{ID: id, Name: e.FileName, ContentType: e.ContentType, Blob: e.Blob, StoredAt: e.At}
			ok = e.FileName != projections.Erased
		}
		if e, is := e.Payload.(sessions.MessageTakenBack); is && slices.Contains(e.Attachments, attachment) {
			return reporting.File{}, false, nil
		}
	}
	return f, ok && f.ID != "", nil
}
