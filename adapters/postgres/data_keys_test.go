package postgres_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/postgres"
	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/eventstore/sealed"
	"github.com/parley-platform/parley/migrations"
)

// Given a database whose tables somebody has emptied, also that of how far the keys were read, then they are read again from the
// beginning of their topic, and whoever had read further is told so.
func TestATableOfKeysThatWasEmptiedIsFilledAnew(t *testing.T) {
	db := connect(t, embeddedtest.Database(t), nil)
	require.NoError(t, db.Migrate(t.Context(), migrations.Files))
	keys := postgres.DataKeys{Pool: db.Queries}
	stands, err := keys.Put(t.Context(), 0, 7, nil, true)
	require.NoError(t, err)
	require.EqualValues(t, 7, stands)

	_, err = db.Queries.Exec(t.Context(), `TRUNCATE data_keys_read, data_keys`)
	require.NoError(t, err)
	for range 2 {
		next, err := keys.Next(t.Context())
		require.NoError(t, err)
		require.Zero(t, next)
	}
	stands, err = keys.Put(t.Context(), 7, 9, nil, true)
	require.NoError(t, err)
	require.Zero(t, stands)
	stands, err = keys.Put(t.Context(), 0, 9, nil, true)
	require.NoError(t, err)
	require.EqualValues(t, 9, stands)
}

// Given a database that nobody has prepared yet, then that is what is said of it.
func TestATableOfKeysThatIsNotMadeSaysSo(t *testing.T) {
	db := connect(t, embeddedtest.Database(t), nil)
	_, err := postgres.DataKeys{Pool: db.Queries}.Next(t.Context())
	require.ErrorIs(t, err, keyring.ErrUnmade)
}

// Given a key that comes a second time, then its last record stands, as it does in a table that is filled anew from a compacted topic.
func TestTheLastRecordOfAKeyStands(t *testing.T) {
	db := connect(t, embeddedtest.Database(t), nil)
	require.NoError(t, db.Migrate(t.Context(), migrations.Files))
	keys := postgres.DataKeys{Pool: db.Queries}
	first := keyring.Record{ID: sealed.ID(uuid.New()), Wrapped: "first", MadeAt: time.Unix(1_800_000_000, 0).UTC()}
	again := keyring.Record{ID: first.ID, Wrapped: "again", MadeAt: first.MadeAt.Add(time.Minute)}
	for at, r := range []keyring.Record{first, again} {
		_, err := keys.Put(t.Context(), int64(at), int64(at)+1, []keyring.Record{r}, true) // who put it there was not seen to
		require.NoError(t, err)
		found, err := keys.Find(t.Context(), []sealed.ID{first.ID})
		require.NoError(t, err)
		require.Equal(t, []keyring.Record{r}, found)
	}
}

// Given keys that are there, erased and not, when they come once more as new ones, then nothing that was erased comes back and the rest
// stands as its last record says.
func TestKeysThatAreTakenForNewOnes(t *testing.T) {
	db := connect(t, embeddedtest.Database(t), nil)
	require.NoError(t, db.Migrate(t.Context(), migrations.Files))
	keys := postgres.DataKeys{Pool: db.Queries}
	at := time.Unix(1_800_000_000, 0).UTC()
	one := keyring.Record{ID: sealed.ID(uuid.New()), Wrapped: "one", MadeAt: at}
	gone := keyring.Record{ID: sealed.ID(uuid.New()), ErasedAt: at}
	_, err := keys.Put(t.Context(), 0, 2, []keyring.Record{one, gone}, false)
	require.NoError(t, err)
	other := keyring.Record{ID: sealed.ID(uuid.New()), Wrapped: "other", MadeAt: at}
	stands, err := keys.Put(t.Context(), 2, 4, []keyring.Record{{ID: gone.ID, Wrapped: "back", MadeAt: at}, other}, true)
	require.NoError(t, err)
	require.EqualValues(t, 4, stands)
	found, err := keys.Find(t.Context(), []sealed.ID{one.ID, gone.ID, other.ID})
	require.NoError(t, err)
	require.ElementsMatch(t, []keyring.Record{one, {ID: gone.ID, MadeAt: at, ErasedAt: at}, other}, found)
}
