package keyring

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/eventstore/sealed"
)

// Given keys that are made and made and never met on the topic, then few of them are kept, and
// those that were made last are known.
func TestKeysThatAreNeverMetAreNotKeptForEver(t *testing.T) {
	var f fresh
	var last sealed.ID
	for n := range 100 {
		made := make([]Record, largestLot)
		for i := range made {
			binary.BigEndian.PutUint32(made[i].ID[:], uint32(n*largestLot+i+1))
		}
		f.add(made)
		last = made[0].ID
	}
	require.LessOrEqual(t, len(f.ids), mostFresh+largestLot)
	require.True(t, f.met(last))
	require.False(t, f.met(last), "the second record of it may be anybody's")
}
