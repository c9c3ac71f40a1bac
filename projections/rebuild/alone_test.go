package rebuild_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	rebuilding "github.com/parley-platform/parley/projections/rebuild"
)

func TestOneRebuildOfAKindAtATime(t *testing.T) {
	t.Parallel()
	const lock = 7
	childtest.Integration(t)
	db, err := pgxpool.New(t.Context(), embeddedtest.Database(t))
	require.NoError(t, err)
	t.Cleanup(db.Close)
	unlock, err := rebuilding.Alone(t.Context(), db, lock)
	require.NoError(t, err)
	require.NotNil(t, unlock)

	second, err := rebuilding.Alone(t.Context(), db, lock)
	require.NoError(t, err)
	require.Nil(t, second)
	other, err := rebuilding.Alone(t.Context(), db, lock+1)
	require.NoError(t, err)
	require.NotNil(t, other, "a rebuild of another kind")
	other()

	unlock(`CREATE TABLE last_one (x int)`, `this fails`)
	_, err = db.Exec(t.Context(), `SELECT x FROM last_one`)
	require.NoError(t, err, "what was still to be said was said")
	next, err := rebuilding.Alone(t.Context(), db, lock)
	require.NoError(t, err)
	require.NotNil(t, next)
	next()
}
