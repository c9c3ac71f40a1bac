package tokens

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Memory is bounded by the clients that publish key sets.
func TestKeySetsAreBounded(t *testing.T) {
	k := newKeySets(nil, nil, time.Now)
	for i := range maxKeySets + 10 {
		k.parsed.put(strconv.Itoa(i), keySet{})
	}
	require.Len(t, k.parsed.all, maxKeySets)
}
