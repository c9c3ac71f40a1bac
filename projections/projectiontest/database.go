package projectiontest

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/postgres"
	"github.com/parley-platform/parley/migrations"
)

// Open is a world with the tables of all read models, and no rows.
func Open(t *testing.T) *World {
	t.Helper()
	url := embeddedtest.SharedDatabase(t, func(url string) error {
		db, err := postgres.Open(t.Context(), url, func() {})
		if err != nil {
			return err
		}
		defer db.Close()
		return db.Migrate(t.Context(), migrations.Files)
	})
	db, err := pgxpool.New(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return New(t, db)
}
