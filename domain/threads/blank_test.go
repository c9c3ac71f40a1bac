package threads_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Given blanks alone, then nobody is asked anything; with a file they are a message.
func TestBlanksAloneAreNoMessage(t *testing.T) {
	s := &story{T: t}
	said := withFiles("1", 0)
	said.Entry.Text = " \n"
	require.Empty(t, s.when(said))
	said = withFiles("2", 1)
	said.Entry.Text = " \n"
	require.NotEmpty(t, s.when(said))
}
