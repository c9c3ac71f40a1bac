package tokens

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Memory is bounded, whatever tokens clients make up for themselves.
func TestTokensThatAreRememberedAreBounded(t *testing.T) {
	b := newBelieved()
	for i := range maxBelieved + 10 {
		b.put(strconv.Itoa(i), believedToken{})
	}
	require.Len(t, b.tokens.all, maxBelieved)

	long := strings.Repeat("A", maxBelievedToken+1)
	b.put(long, believedToken{})
	_, ok := b.get(long)
	require.False(t, ok)
	b.put(long[1:], believedToken{})
	_, ok = b.get(long[1:])
	require.True(t, ok)
	require.Len(t, b.tokens.all, maxBelieved)
}

// A key that cannot be compared is not the one that was used, and no secret is kept.
func TestOnlyTheSameKeyIsTheSame(t *testing.T) {
	require.True(t, sameKey(named([]byte("a")), named([]byte("a"))))
	require.False(t, sameKey(named([]byte("a")), named([]byte("b"))))
	require.False(t, sameKey([]byte("a"), []byte("a")))
	require.False(t, sameKey(named([]byte("a")), "a"))
	require.False(t, sameKey("a", "a"))
	require.False(t, sameKey(nil, nil))
}
