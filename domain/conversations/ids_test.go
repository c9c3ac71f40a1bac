package conversations

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/api-rules.md "Ids": ids of hook callers may hold what SIP Call-IDs and addresses
// do.
func TestIdsOfConversations(t *testing.T) {
	for _, id := range []string{"conv-1001", "a84b4c76e66710@pc33.example.com", "urn:uuid:1", "1:2.3@4",
		"...", ".hidden", strings.Repeat("x", MaxIDLength)} {
		require.True(t, ValidID(id), id)
		require.Equal(t, "acme.main."+id, StreamID("acme", "main", id))
	}
	for _, id := range []string{"", ".", "..", "a/b", "a b", "a\n", "a%40b", "ä", "a?b", "a#b", strings.Repeat("x", MaxIDLength+1)} {
		require.False(t, ValidID(id), id)
	}
}

// No two conversations share a stream: accounts and projects have no dot, so what follows
// the second one is the conversation's id, whatever it holds.
func TestStreamsOfConversationsWithDots(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range [][3]string{{"a", "b", "c.d"}, {"a", "b", "c"}, {"a", "b", "c.d.e"}, {"a", "c", "d"}, {"a", "b", ".c"}} {
		stream := StreamID(c[0], c[1], c[2])
		require.False(t, seen[stream], stream)
		seen[stream] = true
		require.Equal(t, c[:], strings.SplitN(stream, ".", 3))
	}
}
