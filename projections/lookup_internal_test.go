package projections

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
)

// Given queries that take a while, when many ask, then they share the next query, and
// nobody gets an answer from one that began before the question.
func TestQuestionsShareTheNextQuery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		value, queries := 0, 0
		l := Lookup[string, int]{Ask: func(_ context.Context, keys []string) (map[string]int, error) {
			mu.Lock()
			queries++
			seen := value
			mu.Unlock()
			time.Sleep(time.Second)
			out := map[string]int{}
			for _, k := range keys {
				if k != "missing" {
					out[k] = seen
				}
			}
			return out, nil
		}}
		for i := range 10 {
			for range 30 {
				go func() {
					mu.Lock()
					atLeast := value
					mu.Unlock()
					got, ok, err := l.Get(t.Context(), "a")
					if err != nil || !ok || got < atLeast {
						t.Errorf("round %d: got %d, %v, %v; the value was %d already when it was asked", i, got, ok, err, atLeast)
					}
				}()
			}
			time.Sleep(300 * time.Millisecond)
			mu.Lock()
			value++
			mu.Unlock()
		}
		_, ok, err := l.Get(t.Context(), "missing")
		require.NoError(t, err)
		require.False(t, ok)
		synctest.Wait()
		require.Less(t, queries, 10, "300 questions")
		require.False(t, l.running)
	})
}

// Given a value that Postgres refuses, then only who asked for it is told.
func TestOneHostileKeySpoilsNobodysAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := Lookup[string, int]{Ask: func(_ context.Context, keys []string) (map[string]int, error) {
			time.Sleep(time.Second)
			out := map[string]int{}
			for _, k := range keys {
				if k == "bad" {
					return nil, &pgconn.PgError{Code: "22021"}
				}
				out[k] = 1
			}
			return out, nil
		}}
		go func() { _, _, _ = l.Get(t.Context(), "first") }() // keeps it busy, so that the others share a round
		synctest.Wait()
		errs := make(chan error, 2)
		for _, k := range []string{"good", "bad"} {
			go func() {
				_, _, err := l.Get(t.Context(), k)
				if k == "good" && err != nil {
					t.Error(err)
				}
				errs <- err
			}()
		}
		first, second := <-errs, <-errs
		require.Error(t, errors.Join(first, second))
	})
}

func TestWhoGivesUpDoesNotStopTheQuery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := Lookup[string, int]{Ask: func(ctx context.Context, keys []string) (map[string]int, error) {
			time.Sleep(time.Second)
			return map[string]int{"a": 1}, ctx.Err()
		}}
		impatient, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		go func() {
			got, ok, err := l.Get(t.Context(), "a")
			if got != 1 || !ok || err != nil {
				t.Error(got, ok, err)
			}
		}()
		_, _, err := l.Get(impatient, "a")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		time.Sleep(3 * time.Second)
	})
}

// Given a process that stood still while it was answered, so that its time is up, then it asks once more; a database that says nothing is
// given up all the same.
func TestWhoStoodStillAsksOnceMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		l := Lookup[string, int]{Ask: func(ctx context.Context, _ []string) (map[string]int, error) {
			if asked++; asked == 1 {
				time.Sleep(7 * time.Second)
				return nil, ctx.Err()
			}
			return map[string]int{"a": 7}, nil
		}}
		got, ok, err := l.Get(t.Context(), "a")
		require.NoError(t, err)
		require.Equal(t, []any{7, true, 2}, []any{got, ok, asked})

		began := time.Now()
		l.Ask = func(ctx context.Context, _ []string) (map[string]int, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		_, _, err = l.Get(t.Context(), "a")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, lookupTimeout+onceMore, time.Since(began))

		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		began = time.Now()
		require.ErrorIs(t, Within(ctx, time.Minute, func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }), context.DeadlineExceeded)
		require.Equal(t, time.Second, time.Since(began), "whoever asked is gone")
	})
}
