package attachments

import (
	"context"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/reporting"
)

// Stored knows where the files of sessions lie, for who has the signed address of one. Their streams tell.
type Stored struct{ Store *eventstore.Store }

// Named finds a file by sessions.FileID. One of somebody who was erased is there no more.
func (x Stored) Named(ctx context.Context, id string) (f reporting.File, ok bool, err error) {
	session, attachment, ok := sessions.OfFile(id)
	if !ok {
		return f, false, nil
	}
	told, err := eventstore.History(ctx, x.Store, sessions.Sessions, sessions.Sessions.Stream(session))
	if err != nil {
		return f, false, err
	}
	for _, e := range told.Events {
		if e, is := e.Payload.(sessions.Attached); is && e.AttachmentID == attachment {
			return reporting.File{ID: id, Name: e.FileName, ContentType: e.ContentType, Blob: e.Blob, StoredAt: e.At},
				e.FileName != projections.Erased, nil
		}
	}
	return f, false, nil
}
