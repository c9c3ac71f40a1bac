package channels

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Given a socket on which as many conversations wait for more as may, when some of them are over, then others have their places.
func TestConversationsThatAreOverWaitForNothing(t *testing.T) {
	late := lateness{}
	for n := range mostLater {
		require.False(t, late.full(), n)
		late[strconv.Itoa(n)] = waiting{func() {}, make(chan struct{})}
	}
	require.True(t, late.full())
	close(late["7"].ended)
	require.False(t, late.full())
	require.NotContains(t, late, "7")
	late.end("7") // nobody is waited for
	w := late["8"]
	w.cancel = func() { close(w.ended) }
	late["8"] = w
	late.end("8")
	require.NotContains(t, late, "8")
}
