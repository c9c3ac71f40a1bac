package projections

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// lookupTimeout is how long one query may take, whoever waits for it.
const lookupTimeout = 5 * time.Second

// onceMore is how long is asked again for what did not come in its time.
const onceMore = time.Second

// Within asks for something that may take so long, and once more, for a moment, when that has passed: a process
// that stood still meanwhile, or whose machine did, has not heard what it was answered.
func Within(ctx context.Context, long time.Duration, ask func(context.Context) error) error {
	in := func(long time.Duration) (late bool, err error) {
		within, cancel := context.WithTimeout(ctx, long)
		defer cancel()
		err = ask(within)
		return err != nil && within.Err() != nil && ctx.Err() == nil, err
	}
	late, err := in(long)
	if late {
		_, err = in(onceMore)
	}
	return err
}

// Lookup answers questions of one kind: what is asked while a query is under way goes
// into the next one, as one query for all. Nothing is kept, so every answer is from a
// query that began after the question came. With a second query under way at once, each
// would have half the questions, and all of them together would cost an eighth more.
//
// The queries take their keys as unnest((SELECT $1::text[])), not as unnest($1::text[]).
// How many keys come is not seen by the planner then, and so it keeps one plan; else it
// finds that a plan for one key is better than the one for any number of them, and makes
// it anew for each query, which can take longer than the query does.
type Lookup[K comparable, V any] struct {
	// Ask answers all that exist; a key without an answer is absent.
	Ask func(ctx context.Context, keys []K) (map[K]V, error)

	mu      sync.Mutex
	running bool
	next    *lookupRound[K, V]
}

// lookupRound is one query and who waits for it.
type lookupRound[K comparable, V any] struct {
	keys    map[K]struct{}
	done    chan struct{}
	answers map[K]V
	err     error
}

// Get answers one question; ok is false when there is nothing under the key.
func (l *Lookup[K, V]) Get(ctx context.Context, key K) (v V, ok bool, err error) {
	r := l.join(ctx, key)
	select {
	case <-r.done:
	case <-ctx.Done():
		return v, false, ctx.Err()
	}
	if r.err != nil && refused(r.err) && len(r.keys) > 1 { // somebody else's key may be what Postgres cannot take
		r = &lookupRound[K, V]{keys: map[K]struct{}{key: {}}, done: make(chan struct{})}
		l.run(ctx, r)
	}
	v, ok = r.answers[key]
	return v, ok, r.err
}

// join puts the key into the round that is next, and starts it when none is under way.
func (l *Lookup[K, V]) join(ctx context.Context, key K) *lookupRound[K, V] {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil {
		l.next = &lookupRound[K, V]{keys: map[K]struct{}{}, done: make(chan struct{})}
	}
	r := l.next
	r.keys[key] = struct{}{}
	if !l.running {
		l.running, l.next = true, nil
		go l.drive(context.WithoutCancel(ctx), r)
	}
	return r
}

// drive runs a round, and then those that came together meanwhile.
func (l *Lookup[K, V]) drive(ctx context.Context, r *lookupRound[K, V]) {
	for r != nil {
		l.run(ctx, r)
		l.mu.Lock()
		r, l.next = l.next, nil
		l.running = r != nil
		l.mu.Unlock()
	}
}

func (l *Lookup[K, V]) run(ctx context.Context, r *lookupRound[K, V]) {
	defer close(r.done)
	keys := make([]K, 0, len(r.keys))
	for k := range r.keys {
		keys = append(keys, k)
	}
	r.err = Within(ctx, lookupTimeout, func(ctx context.Context) (err error) {
		r.answers, err = l.Ask(ctx, keys)
		return err
	})
}

// refused reports whether Postgres could not take a value, rather than not be asked.
func refused(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && strings.HasPrefix(pg.Code, "22")
}

// Column takes one part of each key, for an array parameter.
func Column[K, T any](keys []K, part func(K) T) []T {
	out := make([]T, len(keys))
	for i, k := range keys {
		out[i] = part(k)
	}
	return out
}
