package postgres_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/postgres"
)

// wallClock is a database whose clock is apart from ours.
type wallClock struct {
	mu    sync.Mutex
	apart time.Duration
	took  time.Duration
	err   error
}

func (w *wallClock) QueryRow(context.Context, string, ...any) pgx.Row { return w }

func (w *wallClock) set(apart, took time.Duration, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.apart, w.took, w.err = apart, took, err
}

func (w *wallClock) Scan(dest ...any) error {
	w.mu.Lock()
	apart, took, err := w.apart, w.took, w.err
	w.mu.Unlock()
	time.Sleep(took / 2)
	*dest[0].(*time.Time) = time.Now().Add(apart)
	time.Sleep(took / 2)
	return err
}

func TestEveryNodeHasTheTimeOfTheDatabase(t *testing.T) {
	for name, apart := range map[string]time.Duration{"a node an hour behind": time.Hour, "a node an hour ahead": -time.Hour,
		"a node in time": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db := &wallClock{apart: apart, took: 10 * time.Millisecond}
				c := postgres.NewClock(db, slog.New(slog.DiscardHandler))
				require.NoError(t, c.Sync(t.Context()))
				require.Equal(t, apart, time.Until(c.Now()))
				time.Sleep(time.Minute)
				require.Equal(t, apart, time.Until(c.Now()), "it goes on by itself")
			})
		})
	}
}

// Given a first answer that came late one way only, then a quicker one sets that right, also where none is quick.
func TestABetterReadingIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := &wallClock{apart: 900 * time.Millisecond, took: 2 * time.Second}
		c := postgres.NewClock(db, slog.New(slog.DiscardHandler))
		require.NoError(t, c.Sync(t.Context()))
		db.set(0, 400*time.Millisecond, nil)
		require.NoError(t, c.Sync(t.Context()))
		require.Equal(t, time.Duration(0), time.Until(c.Now()))
		db.set(time.Minute, 400*time.Millisecond, nil)
		require.NoError(t, c.Sync(t.Context()))
		require.Equal(t, time.Duration(0), time.Until(c.Now()), "it is no sharper than the one before")
	})
}

func TestTheClockFollowsADatabaseThatWasReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := &wallClock{took: 10 * time.Millisecond}
		c := postgres.NewClock(db, slog.New(slog.DiscardHandler))
		require.NoError(t, c.Sync(t.Context()))
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			c.Run(ctx)
		}()
		db.set(0, 10*time.Millisecond, errors.New("away"))
		time.Sleep(time.Minute)
		require.Equal(t, time.Duration(0), time.Until(c.Now()), "while it is away time goes on")
		db.set(time.Hour, 10*time.Millisecond, nil)
		time.Sleep(time.Minute)
		require.Equal(t, time.Hour, time.Until(c.Now()))
		db.set(0, time.Second, nil)
		time.Sleep(time.Minute)
		require.Equal(t, time.Hour, time.Until(c.Now()), "an answer that took long says little")
		stop()
		<-ended
	})
}
