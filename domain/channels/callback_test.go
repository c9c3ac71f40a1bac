package channels

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestACallbackNamesItsConversation(t *testing.T) {
	for _, url := range []string{"", "https://receiver.example.com/told?x=1"} {
		to, conversation := CallbackOf(CallbackTo(url, "t-1"))
		require.Equal(t, []string{url, "t-1"}, []string{to, conversation})
	}
}

func TestAMessageIsNamed(t *testing.T) {
	conversation, number, ok := MessageNamed(MessageName("t-1", 7))
	require.Equal(t, []any{"t-1", 7, true}, []any{conversation, number, ok})
	for _, none := range []string{"", "t-1", "t-1.", "t-1.0", "t-1.-1", "t-1.07", "t-1.x", "t-1.1.1", "t-1.99999999999", "t-1.+1"} {
		_, _, ok := MessageNamed(none)
		require.False(t, ok, none)
	}
}
