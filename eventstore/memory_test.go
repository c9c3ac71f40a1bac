package eventstore_test

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
)

// chance draws what goes wrong on a log in memory, and how long everything takes.
type chance struct {
	mu  sync.Mutex
	rnd *rand.Rand
}

var errMishap = errors.New("mishap")

// mishap takes its time, and comes to nothing once in so many times.
func (c *chance) mishap(once int) error {
	c.mu.Lock()
	takes, bad := time.Duration(c.rnd.IntN(8))*time.Millisecond, c.rnd.IntN(once) == 0
	c.mu.Unlock()
	time.Sleep(takes)
	if bad {
		return errMishap
	}
	return nil
}

func (c *chance) faults() memory.Faults {
	of := func(once int) func([]*eventstore.Record) error {
		return func([]*eventstore.Record) error { return c.mishap(once) }
	}
	return memory.Faults{Append: of(15), Acknowledge: of(10), Verdict: of(15), Read: func(string) error { return c.mishap(20) },
		Gate: func() error {
			if c.mishap(30) != nil {
				return catchingUp
			}
			return nil
		}}
}

// memoryHistory lets the clients of the twin work on a log in memory, all at once, while
// things go wrong, and holds what they were told to the same invariants.
func memoryHistory(t *testing.T, seed uint64) (w *twin) {
	synctest.Test(t, func(t *testing.T) {
		log, luck := memory.New(), &chance{rnd: rand.New(rand.NewPCG(seed, 2))}
		w = newTwin(seed, nothing, 0)
		for no := range 3 {
			n := &node{t: w, no: no, store: log.Open(eventstore.Config{Node: "n" + strconv.Itoa(no)})}
			defer n.store.Close()
			w.nodes = append(w.nodes, n)
		}
		log.Fail(luck.faults())
		var wishes []*wish
		for no := range 30 {
			w.mu.Lock()
			wishes = append(wishes, w.newWish(no))
			w.ask(wishes[no], w.anyNode())
			w.again(wishes)
			pause := time.Duration(w.rnd.IntN(30)) * time.Millisecond
			w.mu.Unlock()
			time.Sleep(pause)
			if no%10 == 9 {
				log.Forget()
			}
		}
		w.allAnswered(t)
		log.Fail(memory.Faults{})
		w.mu.Lock()
		for _, wish := range wishes {
			if wish.answered && wish.key != "" && wish.kind == toAppend {
				w.ask(wish, w.anyNode())
			}
		}
		w.mu.Unlock()
		w.allAnswered(t)
		w.compare(log)
	})
	return w
}

func (t *twin) allAnswered(test *testing.T) {
	for range 10_000 {
		t.mu.Lock()
		open := 0
		for _, c := range t.calls {
			if !c.over {
				open++
			}
		}
		t.mu.Unlock()
		if open == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	test.Fatal("a call was never answered")
}

// compare takes the log in memory for the twin's, partition after partition, and checks.
func (t *twin) compare(log *memory.Log) {
	t.mu.Lock()
	defer t.mu.Unlock()
	count, _ := log.Partitions(notebooks.Topic())
	t.log = nil
	for p := range count {
		for _, e := range log.Entries(notebooks.Topic(), p) {
			e.Offset = int64(len(t.log))
			t.log = append(t.log, e)
		}
	}
	t.db = &database{next: int64(len(t.log)), index: map[string][]*eventstore.Record{}}
	for _, r := range log.Accepted() {
		t.db.index[r.Stream] = append(t.db.index[r.Stream], r)
	}
	t.check()
}

func TestHistoriesInMemoryKeepAllInvariants(t *testing.T) {
	done := map[string]int{}
	for seed := range histories(t, 100) {
		w := memoryHistory(t, seed)
		require.Empty(t, w.found, "seed %d", seed)
		for what, count := range w.done {
			done[what] += count
		}
	}
	t.Log(done)
	for _, what := range []string{"", "NOT_EXECUTED", "OUTCOME_UNKNOWN", "CATCHING_UP"} {
		require.NotZero(t, done["answered "+what], what)
	}
	require.NotZero(t, done["replayed"])
}
