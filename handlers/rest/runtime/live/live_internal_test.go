package live

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/rest"
)

// broken is an index that cannot be read.
type broken struct{ asked atomic.Int64 }

func (b *broken) After(context.Context, string, int64, int) ([]*eventstore.Record, error) {
	b.asked.Add(1)
	return nil, errors.New("away")
}

// Given a log that cannot be read, then nothing is told before it can, whatever is said meanwhile: not even that all was told; and it is
// looked at again, however often somebody has rung, once a second.
func TestWhatCannotBeReadComesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var news atomic.Int64
		index := &broken{}
		were := func() []int64 { synctest.Wait(); return []int64{index.asked.Load(), news.Load()} }
		listened := &telling{Source: Source{Index: index}, ctx: t.Context(), long: rest.LongAnswerOf(t.Context()).Apart(),
			heard: (&driving.Turns{}).Hear("session-1"), Listener: Listener{
				Beside: func(do func()) { go do() },
				News:   func(driving.News) error { news.Add(1); return nil },
				Failed: func(err error) { t.Error(err) },
			}}
		listened.kept = []driving.Delta{{CallID: "c-1", Text: "Hello"}}
		listened.wake(true)
		require.Equal(t, []int64{1, 0}, were())
		for range 10 {
			listened.wake(false)
			synctest.Wait()
		}
		require.Equal(t, []int64{11, 0}, were())
		time.Sleep(10*lookAgain + lookAgain/2)
		require.Equal(t, []int64{21, 0}, were())
		listened.end()
		time.Sleep(10 * lookAgain)
		require.Equal(t, []int64{21, 0}, were())
	})
}
