package projections

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/flows"
	"github.com/parley-platform/parley/domain/trunks"
)

// Settings are the categories that what is Kept is made of: read by each request, and seldom changed.
var Settings = []*event.Category{access.Tenants.Category, access.Scopes.Category, trunks.Trunks.Category, flows.Flows.Category,
	agents.Agents.Category, deployments.Deployments.Category}

// keptAnswers is how many each Kept remembers.
const keptAnswers = 1024

// Moment is how far Settings have been projected, of one database: it grows with each change of their rows, in the transaction
// that changes them, and with each switch to rows that were rebuilt.
type Moment int64

// Kept is a Lookup of what Settings say that remembers its answers. None of them is older than one that is read anew: an answer
// counts for as long as the moment does as of which it was read, and how far Settings are each piece of work asks for itself, and
// for all that is kept. So one small query, which concurrent requests share, is in place of several, and none where a node that
// is alone knows it by itself. What is not there is not remembered.
type Kept[K comparable, V any] struct {
	Lookup[K, V]
	Moments *Moments // of the database that Ask reads
	// Fits says whether an answer is small enough to be remembered.
	Fits func(K, V) bool

	mu  sync.Mutex
	all map[K]keptAnswer[V]
}

type keptAnswer[V any] struct {
	as Moment
	v  V
}

// Get answers one question as Lookup does.
func (k *Kept[K, V]) Get(ctx context.Context, key K) (v V, ok bool, err error) {
	now, err := k.Moments.now(ctx)
	if err != nil {
		return v, false, err
	}
	if v, ok = k.get(key, now); ok {
		return v, true, nil
	}
	if v, ok, err = k.Lookup.Get(ctx, key); ok && err == nil && k.Fits(key, v) {
		k.put(key, keptAnswer[V]{now, v})
	}
	return v, ok, err
}

func (k *Kept[K, V]) get(key K, now Moment) (v V, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	a, ok := k.all[key]
	return a.v, ok && a.as == now
}

func (k *Kept[K, V]) put(key K, a keptAnswer[V]) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil {
		k.all = map[K]keptAnswer[V]{}
	}
	if _, has := k.all[key]; !has && len(k.all) >= keptAnswers {
		for other := range k.all {
			delete(k.all, other)
			break
		}
	}
	k.all[key] = a
}

// Moments say how far Settings are. One for all that is kept asks least.
type Moments struct {
	Lookup[struct{}, Moment]
	Here Here
}

// Here says how far settings are without a question, on a node that alone projects them; else ok is false. May be nil.
type Here func(settings []*event.Category) (now int64, ok bool)

// NewMoments reads through the pool.
func NewMoments(db *pgxpool.Pool) *Moments {
	topics := Column(Settings, (*event.Category).Topic)
	return &Moments{Lookup: Lookup[struct{}, Moment]{Ask: func(ctx context.Context, _ []struct{}) (map[struct{}]Moment, error) {
		var now Moment
		err := db.QueryRow(ctx, `SELECT coalesce(sum(c.next_offset + c.owner_epoch), 0)::bigint
			FROM unnest((SELECT $1::text[])) q(topic)
			CROSS JOIN LATERAL (SELECT * FROM checkpoints WHERE projection = 'live' AND topic = q.topic) c`, topics).Scan(&now)
		return map[struct{}]Moment{{}: now}, err
	}}}
}

// now is the moment of one piece of work, see Once.
func (m *Moments) now(ctx context.Context) (Moment, error) {
	if m.Here != nil {
		if now, ok := m.Here(Settings); ok {
			return Moment(now), nil
		}
	}
	return Once(ctx, momentKey{}, func() (Moment, error) {
		now, _, err := m.Get(ctx, struct{}{})
		return now, err
	})
}

type momentKey struct{}
