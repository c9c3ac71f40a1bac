package contactcenter

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/projections"
)

// TranscriptionTimer is the name of a voicemail's timer: the next attempt to
// transcribe it is due then.
const TranscriptionTimer = "transcription"

// VoicemailsModel stores one row per voicemail, and keeps the timers of the next
// attempts to transcribe them.
var VoicemailsModel = newVoicemailsModel()

func newVoicemailsModel() *projections.Model {
	m := projections.NewModel("voicemails", 3, []string{"voicemails", "timers"}, voicemails.Voicemails.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, e voicemails.Recorded) {
		b.Put("voicemails", voicemail(at), projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID, "session_id": e.SessionID,
			"file_id": e.FileID, "file_name": e.FileName,
			"caller_id": e.CallerID, "language": e.Language, "duration_ms": e.DurationMs, "recorded_at": e.At,
			"transcription": string(voicemails.TranscriptPending)})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e voicemails.Transcribed) {
		b.Set("voicemails", voicemail(at), projections.Row{"transcription": string(voicemails.TranscriptDone), "transcript": e.Text,
			"language": e.Language, "provider": e.Provider, "transcribed_at": e.At, "erased": false})
		b.ClearTimer(at, TranscriptionTimer)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e voicemails.TranscriptionAttemptFailed) {
		b.SetTimer(at, TranscriptionTimer, e.RetryAt)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e voicemails.TranscriptionDue) {
		b.ClearTimer(at, TranscriptionTimer)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e voicemails.TranscriptionFailed) {
		b.Set("voicemails", voicemail(at), projections.Row{"transcription": string(voicemails.TranscriptFailed)})
		b.ClearTimer(at, TranscriptionTimer)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e voicemails.TranscriptionAsked) {
		b.Set("voicemails", voicemail(at), projections.Row{"transcription": string(voicemails.TranscriptPending),
			"transcript": "", "provider": "", "transcribed_at": nil})
		b.ClearTimer(at, TranscriptionTimer)
	})
	projections.Ignore[voicemails.Attributed](m)
	projections.On(m, func(b *projections.Batch, at projections.At, e voicemails.Erased) {
		b.Set("voicemails", voicemail(at), projections.Row{"file_name": projections.Erased, "caller_id": projections.Erased, "transcript": "",
			"erased": true})
	})
	return m
}

func voicemail(at projections.At) projections.Row {
	return projections.Row{"voicemail_id": at.StreamID}
}

// Voicemails answers what callers left.
type Voicemails struct{ db *pgxpool.Pool }

// NewVoicemails reads through the pool.
func NewVoicemails(db *pgxpool.Pool) *Voicemails { return &Voicemails{db} }

// Voicemail is one recording and its transcript.
type Voicemail struct {
	ID, FileID, FileName string
	CallerID             string // empty: not known
	Language             string // empty: not known
	DurationMs           int64  // 0: not known
	RecordedAt           time.Time
	Transcription        voicemails.TranscriptStatus
	Transcript, Provider string     // when it is done
	TranscribedAt        *time.Time // nil until it is done
}

// HasSession reports whether a project has the session, one that assists people included, or a voicemail of it.
func (x *Voicemails) HasSession(ctx context.Context, tenant, project, session string) (has bool, err error) {
	if has, err = projections.KnowsSession(ctx, x.db, tenant, project, session); has || err != nil {
		return has, err
	}
	err = x.db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM voicemails WHERE tenant = $1 AND project_id = $2 AND session_id = $3)
			OR EXISTS (SELECT FROM sessions WHERE tenant = $1 AND project_id = $2 AND session_id = $3)`,
		tenant, project, session).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("looking for the voicemails of a session: %w", err)
	}
	return has, nil
}

// Has reports whether a project has the voicemail.
func (x *Voicemails) Has(ctx context.Context, tenant, project, voicemail string) (has bool, err error) {
	err = x.db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM voicemails WHERE voicemail_id = $3 AND tenant = $1 AND project_id = $2)`,
		tenant, project, voicemail).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("looking for a voicemail: %w", err)
	}
	return has, nil
}

// Of lists the voicemails of a session, oldest first.
func (x *Voicemails) Of(ctx context.Context, tenant, project, session string) ([]Voicemail, error) {
	return projections.All[Voicemail](ctx, x.db, "reading the voicemails of a session",
		`SELECT voicemail_id AS id, file_id, file_name, caller_id,
			language, duration_ms, recorded_at, transcription, transcript, provider, transcribed_at
		FROM voicemails WHERE tenant = $1 AND project_id = $2 AND session_id = $3 ORDER BY recorded_at, voicemail_id`, tenant, project, session)
}
