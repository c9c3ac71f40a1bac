package voice_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
)

// commits are those of a call, each as the names of its events.
func (m *memoryCalls) commits(callID string) (out []string) {
	last := ""
	for _, r := range m.Accepted() {
		if r.Stream != calls.Calls.Stream(callID) {
			continue
		}
		name := strings.TrimSuffix(strings.TrimPrefix(r.Type, "parley.calls."), ".v1")
		if r.Commit == last {
			out[len(out)-1] += " " + name
			continue
		}
		out, last = append(out, name), r.Commit
	}
	return out
}

// slow is a log that takes its time with the commit that begins with an event of a type.
func slow(kind string, d time.Duration) func([]*eventstore.Record) error {
	return func(commit []*eventstore.Record) error {
		if strings.Contains(commit[0].Type, kind) {
			time.Sleep(d)
		}
		return nil
	}
}

// Given a commit that is on its way, when more happens to the call meanwhile, then that is
// the next commit, with the times at which it happened.
func TestWhatHappensMeanwhileIsOneCommit(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.place("c1")
		w.store.Fail(memory.Faults{Append: slow("ringing", 5*time.Second)})
		w.pass(time.Minute)
		require.Equal(w, []string{"requested", "attempt-started", "ringing", "answered said", "lease-renewed", "completed"},
			w.store.commits("c1"))
		require.Equal(w, []string{"started", "800 ringing", "2800 answered", "2800 said Good day!",
			"12800 completed Caller-disconnected after 10000"}, w.store.story("c1"))
	})
}

// Given a commit of several facts that is refused, then each is tried by itself.
func TestARefusalOfSeveralFactsLosesNone(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.place("c1")
		placed, refused := time.Now(), false
		w.store.Fail(memory.Faults{Append: slow("ringing", 5*time.Second), Gate: func() error {
			if refused || time.Since(placed) < 3*time.Second || time.Since(placed) > 10*time.Second {
				return nil
			}
			refused = true
			return fault.New(fault.TooLarge, "what was said")
		}})
		w.pass(time.Minute)
		require.True(w, refused)
		require.Equal(w, []string{"requested", "attempt-started", "ringing", "answered", "said", "lease-renewed", "completed"},
			w.store.commits("c1"))
	})
}
