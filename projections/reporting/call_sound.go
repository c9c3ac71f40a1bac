package reporting

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/projections"
)

// Sounds answers how calls sounded, of those that were measured.
type Sounds struct{ db *pgxpool.Pool }

// NewSounds reads through the pool.
func NewSounds(db *pgxpool.Pool) *Sounds { return &Sounds{db} }

// Sound is how the calls of an hour, or of all hours, sounded: of those that were measured. Averages
// are nil where nothing was.
type Sound struct {
	Hour                        time.Time // zero: of all
	Measured                    int64
	Turns, BargeIns, DigitTurns int64
	MOS, JitterMs, LatencyMs    *float64
	Confidence, Silence         *float64
}

const selectSound = `count(*) AS measured, coalesce(sum((quality->>'turns')::bigint), 0)::bigint AS turns,
	coalesce(sum((quality->>'bargeIns')::bigint), 0)::bigint AS barge_ins,
	coalesce(sum((quality->>'digitTurns')::bigint), 0)::bigint AS digit_turns,
	avg((quality->>'mos')::float8) AS mos, avg((quality->>'jitterMs')::float8) AS jitter_ms,
	avg((quality->>'latencyMs')::float8) AS latency_ms, avg((quality->>'confidence')::float8) AS confidence,
	avg((quality->>'silencePercent')::float8) AS silence
	FROM interactions WHERE tenant = $1 AND project_id = $2 AND end_told_at >= $3 AND end_told_at < $4 AND quality IS NOT NULL`

// SoundByHour tells how the calls of a project sounded whose ends the log was told in a time, oldest first: analytics
// count a call in that hour, also where it had ended before, with its node.
func (x *Sounds) SoundByHour(ctx context.Context, tenant, project string, from, to time.Time) ([]Sound, error) {
	return projections.All[Sound](ctx, x.db, "reading how calls sounded",
		`SELECT date_trunc('hour', end_told_at, 'UTC') AS hour, `+selectSound+` GROUP BY 1 ORDER BY 1`, tenant, project, from, to)
}

// SoundOf is the same of all of them together.
func (x *Sounds) SoundOf(ctx context.Context, tenant, project string, from, to time.Time) (Sound, error) {
	s, _, err := projections.One[Sound](ctx, x.db, "reading how calls sounded", `SELECT 'epoch'::timestamptz AS hour, `+selectSound,
		tenant, project, from, to)
	return s, err
}
