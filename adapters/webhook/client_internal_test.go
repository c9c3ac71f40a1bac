package webhook

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/outgoing"
)

// Projects' own models are asked by these connections as well: a thousand may wait at once.
func TestConnectionsHaveLittleRoom(t *testing.T) {
	over := Options{}.transport()
	require.Equal(t, []int{outgoing.Buffer, outgoing.Buffer}, []int{over.ReadBufferSize, over.WriteBufferSize})
	require.Equal(t, outgoing.IdlePerHost, over.MaxIdleConnsPerHost)
}
