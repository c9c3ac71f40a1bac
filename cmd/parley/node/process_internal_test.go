//go:build !apache

package node

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLoadIsHowFastMemoryIsUsed(t *testing.T) {
	require.False(t, isLoad(13<<20, time.Minute))
	require.True(t, isLoad(40<<20, time.Second))
	require.False(t, isLoad(0, time.Hour), "a collection at the start")
}

// The heap may grow as it may under load, and in a crowd by what stacks leave of the room; by some of it also where they
// leave nothing.
func TestTheHeapMayGrowAsFarAsThereIsRoom(t *testing.T) {
	for name, c := range map[string]struct {
		loaded         bool
		living, stacks uint64
		want           int
	}{
		"at rest":                  {false, 20 << 20, 10 << 20, atRest},
		"a crowd at rest":          {false, 80 << 20, 72 << 20, atRest},
		"under load":               {true, 25 << 20, 20 << 20, underLoad},
		"much lives under load":    {true, 500 << 20, 20 << 20, underLoad},
		"a small crowd":            {true, 16 << 20, 40 << 20, underLoad},
		"a crowd":                  {true, 80 << 20, 72 << 20, 70},
		"a crowd has all the room": {true, 80 << 20, 2 * room, crowded},
		"nothing lives yet":        {true, 0, crowd, underLoad},
	} {
		require.Equal(t, c.want, percentFor(c.loaded, memory{living: c.living, stacks: c.stacks}), name)
	}
}

// process is one that the collector looks at.
type process struct {
	mu      sync.Mutex
	is      memory
	percent int
}

func (p *process) collector() *collector {
	return &collector{set: func(percent int) int {
		p.mu.Lock()
		defer p.mu.Unlock()
		before := p.percent
		p.percent = percent
		return before
	}, used: func() memory {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.is
	}}
}

func (p *process) becomes(change func(*memory)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.is)
}

func (p *process) mayGrow() int {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.percent
}

func (p *process) allocates() { p.becomes(func(m *memory) { m.allocated += 2 * busy }) }

// Given load, when it ends, then the heap may grow less some seconds later, though nothing is collected any more; and
// may grow more with the next collection under load.
func TestLoadThatHasEndedIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &process{}
		c := p.collector()
		c.begin()
		for range 20 {
			time.Sleep(time.Second)
			require.Equal(t, underLoad, p.mayGrow())
			p.allocates()
		}
		time.Sleep(2 * calm)
		require.Equal(t, atRest, p.mayGrow())

		c.collected() // what the load has left
		require.Equal(t, atRest, p.mayGrow())
		time.Sleep(time.Second)
		p.allocates()
		c.collected()
		require.Equal(t, underLoad, p.mayGrow())
		time.Sleep(2 * calm)
		require.Equal(t, atRest, p.mayGrow())
	})
}

// Given load, when a crowd comes, then the heap may grow less before anything is collected; and as before when it has gone.
func TestACrowdIsNoticedBetweenCollections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &process{is: memory{living: 30 << 20, stacks: 10 << 20}}
		p.collector().begin()
		require.Equal(t, underLoad, p.mayGrow())
		for _, c := range []struct {
			stacks uint64
			want   int
		}{{98 << 20, 100}, {200 << 20, crowded}, {31 << 20, underLoad}} {
			p.becomes(func(m *memory) { m.stacks = c.stacks })
			p.allocates()
			time.Sleep(2 * glance)
			require.Equal(t, c.want, p.mayGrow())
		}
		time.Sleep(2 * calm)
		require.Equal(t, atRest, p.mayGrow(), "the timer rests with the process")
	})
}
