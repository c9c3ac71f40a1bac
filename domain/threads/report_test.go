package threads_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/threads"
)

// Given what a provider says later of replies, in any order and twice, then each comes as far as it ever was.
func TestReportsInAnyOrder(t *testing.T) {
	s := &story{T: t}
	s.when(says("1", "hi"))
	s.when(queues("s-1", "m-1"))
	s.when(queues("s-1", "m-2"))
	told := func(reply int, state channels.State) bool {
		t.Helper()
		return len(s.when(threads.Report{Reply: reply, At: noon, Says: channels.Report{ProviderMessageID: "1", State: state}})) > 0
	}
	for _, c := range []struct {
		state channels.State
		news  bool
	}{{channels.Delivered, true}, {channels.Underway, false}, {channels.Delivered, false}, {channels.Undelivered, false},
		{channels.Read, true}, {channels.Delivered, false}} {
		require.Equal(t, c.news, told(1, c.state), c.state)
	}
	require.True(t, told(2, channels.Underway), "of another")
	require.True(t, told(2, channels.Undelivered))
	require.True(t, told(2, channels.Delivered), "it has arrived after all")
	require.False(t, told(3, channels.Delivered), "there is none")
}
