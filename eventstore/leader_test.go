package eventstore_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore"
)

// Given records of two leaders in one answer, as a broker's restart under load leaves
// them, then the log is looked at again once, and the same answer is taken after.
func TestRecordsOfTwoLeadersAreReadAgainOnce(t *testing.T) {
	read := func(marks ...string) (out []eventstore.Entry) {
		for _, m := range marks {
			out = append(out, eventstore.Entry{Mark: m})
		}
		return out
	}
	var leader eventstore.Leader
	require.False(t, leader.Changed(read("3/1", "3/2")), "the first that is seen")
	require.False(t, leader.Changed(nil))
	require.False(t, leader.Changed(read("marker", "3/3", "marker")), "a marker tells of no leader")
	require.True(t, leader.Changed(read("3/4", "4/5")))
	require.False(t, leader.Changed(read("3/4", "4/5")), "the same again")
	require.False(t, leader.Changed(read("4/6")))
	require.True(t, leader.Changed(read("6/7")))
}
