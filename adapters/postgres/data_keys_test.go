package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/postgres"
	"github.com/parley-platform/parley/migrations"
)

// Given a database whose tables somebody has emptied, also that of how far the keys were read, then they are read again from the
// beginning of their topic, and whoever had read further is told so.
func TestATableOfKeysThatWasEmptiedIsFilledAnew(t *testing.T) {
	db := connect(t, embeddedtest.Database(t), nil)
	require.NoError(t, db.Migrate(t.Context(), migrations.Files))
	keys := postgres.DataKeys{Pool: db.Queries}
	stands, err := keys.Put(t.Context(), 0, 7, nil)
	require.NoError(t, err)
	require.EqualValues(t, 7, stands)

	_, err = db.Queries.Exec(t.Context(), `TRUNCATE data_keys_read, data_keys`)
	require.NoError(t, err)
	for range 2 {
		next, err := keys.Next(t.Context())
		require.NoError(t, err)
		require.Zero(t, next)
	}
	stands, err = keys.Put(t.Context(), 7, 9, nil)
	require.NoError(t, err)
	require.Zero(t, stands)
	stands, err = keys.Put(t.Context(), 0, 9, nil)
	require.NoError(t, err)
	require.EqualValues(t, 9, stands)
}
