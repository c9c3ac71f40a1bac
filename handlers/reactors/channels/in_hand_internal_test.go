package channels

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Given a message that is being given, then the end of its turn waits until that is noted, and no longer than a moment.
func TestAMessageThatIsInHandIsGivenOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x, m := &inHand{of: map[numbered]chan struct{}{}}, numbered{"thread-1", 3}
		require.False(t, x.put(t.Context(), m), "nobody has it")

		done := x.take(m)
		x.take(m)() // somebody else gives it, too: it stays the first one's
		require.False(t, x.put(t.Context(), numbered{"thread-1", 4}), "another one")
		given := make(chan bool, 1)
		go func() { given <- x.put(t.Context(), m) }()
		time.Sleep(whileNoted / 2)
		done()
		require.True(t, <-given)
		require.False(t, x.put(t.Context(), m), "nobody has it any more")

		defer x.take(m)()
		began := time.Now()
		require.False(t, x.put(t.Context(), m), "a turn that goes on")
		require.Equal(t, whileNoted, time.Since(began))
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		require.False(t, x.put(gone, m))
	})
}
