package reporting

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/projections"
)

// FilesModel stores where the files lie that are downloaded through the API, whatever
// they are of. A file's id is made of its stream's, so each row has one writer.
var FilesModel = newFilesModel()

func newFilesModel() *projections.Model {
	m := projections.NewModel("files", 1, []string{"files"}, exports.Jobs.Category, voicemails.Voicemails.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, e exports.Succeeded) {
		b.Put("files", projections.Row{"file_id": e.FileID}, projections.Row{"tenant": e.TenantID, "blob": e.Blob, "file_name": e.FileName,
			"content_type": exports.ContentType,
			"size_bytes":   e.SizeBytes, "sha256": e.SHA256, "stored_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e voicemails.Recorded) {
		b.Put("files", projections.Row{"file_id": e.FileID}, projections.Row{"tenant": e.TenantID, "blob": e.Blob, "file_name": e.FileName,
			"content_type": e.ContentType,
			"size_bytes":   e.SizeBytes, "sha256": e.SHA256, "stored_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e voicemails.Erased) {
		b.Delete("files", projections.Row{"file_id": voicemails.FileIDPrefix + at.StreamID})
	})
	projections.Ignore[exports.Requested](m)
	projections.Ignore[exports.Started](m)
	projections.Ignore[exports.AttemptFailed](m)
	projections.Ignore[exports.Requeued](m)
	projections.Ignore[exports.Failed](m)
	projections.Ignore[voicemails.Attributed](m)
	projections.Ignore[voicemails.Transcribed](m)
	projections.Ignore[voicemails.TranscriptionAsked](m)
	projections.Ignore[voicemails.TranscriptionAttemptFailed](m)
	projections.Ignore[voicemails.TranscriptionDue](m)
	projections.Ignore[voicemails.TranscriptionFailed](m)
	return m
}

// Files answers where files lie.
type Files struct{ db *pgxpool.Pool }

// NewFiles reads through the pool.
func NewFiles(db *pgxpool.Pool) *Files { return &Files{db} }

// File is one file that is downloaded through the API.
type File struct {
	ID, Name, ContentType string
	Blob                  string // its name in blob storage
	SHA256                string // hexadecimal; empty: nobody has counted it
	StoredAt              time.Time
}

// Named finds a file by its id. It asks for no tenant: who has its signed address may
// have the file.
func (x *Files) Named(ctx context.Context, id string) (File, bool, error) {
	return projections.One[File](ctx, x.db, "reading where a file lies",
		`SELECT file_id AS id, file_name AS name, content_type, blob, sha256, stored_at FROM files WHERE file_id = $1`, id)
}
