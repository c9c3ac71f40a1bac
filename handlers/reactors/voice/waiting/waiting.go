// Package waiting knows whether the other side of a call waits for people, and what it hears meanwhile. It plays nothing, and never
// asks who is to come.
package waiting

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/wav"
)

// Caller is the other side of a call. Nobody answers it while it waits. It is written to by whoever follows the session, and whoever
// calls people.
type Caller struct {
	inLine atomic.Bool  // the session is people's, and none of them has it yet
	asked  atomic.Value // tells that of a session that nobody follows; nothing: it is followed, or there is none
	rings  atomic.Value // the transfer by which somebody is called who is not on the line yet; empty: nobody is
}

// Stands notes how the session stands.
func (c *Caller) Stands(s sessions.State) {
	p := s.Talk.People
	c.inLine.Store(s.Status == sessions.Active && p != nil && p.Waits())
}

// Unfollowed notes that nobody follows the session: inLine is asked instead.
func (c *Caller) Unfollowed(inLine func() bool) { c.asked.Store(inLine) }

// Rings notes that somebody is called by a transfer.
func (c *Caller) Rings(transfer string) { c.rings.Store(transfer) }

// Came notes that who was called by a transfer is on the line, or is called no more.
func (c *Caller) Came(transfer string) { c.rings.CompareAndSwap(transfer, "") }

// Waits reports whether it waits now.
func (c *Caller) Waits() bool {
	rings, _ := c.rings.Load().(string)
	asked, unfollowed := c.asked.Load().(func() bool)
	return c.inLine.Load() || rings != "" || unfollowed && asked()
}

// Each is how far apart tones begin.
const Each = 4 * time.Second

const (
	noteMs = 300
	level  = 3_000 // of 32,767
)

var notes = []float64{440, 554} // Hz

// Tone is what it hears while it waits: two soft notes that fade, at 8 kHz.
func Tone() []int16 {
	var out []int16
	for _, hz := range notes {
		note := make([]int16, wav.Rate*noteMs/1_000)
		for i := range note {
			fades := 1 - float64(i)/float64(len(note))
			note[i] = int16(level * fades * math.Sin(2*math.Pi*hz*float64(i)/wav.Rate))
		}
		out = append(out, note...)
	}
	return out
}
