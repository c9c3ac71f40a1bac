package consumer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore"
)

// Given records of two leaders in one answer, then the log is looked at again once, and
// the same answer is handed on after.
func TestRecordsOfTwoLeadersAreReadAgainOnce(t *testing.T) {
	read := func(marks ...string) (out []eventstore.Entry) {
		for _, m := range marks {
			out = append(out, eventstore.Entry{Mark: m})
		}
		return out
	}
	r := &reader{}
	require.False(t, r.newLeader(read("3/1", "marker")), "the first that is seen")
	require.False(t, r.newLeader(nil))
	require.True(t, r.newLeader(read("3/4", "4/5")))
	require.False(t, r.newLeader(read("3/4", "4/5")), "the same again")
}
