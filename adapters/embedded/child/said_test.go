package child_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/child"
)

// Given a program that says much, then the beginning is kept, and it is told that all of it was taken.
func TestTheBeginningOfWhatAProgramSays(t *testing.T) {
	s := child.Said{Most: 8}
	for _, text := range []string{"first", "second", "third"} {
		n, err := fmt.Fprint(&s, text)
		require.NoError(t, err)
		require.Equal(t, len(text), n)
	}
	require.Equal(t, "firstsec", s.String())
}
