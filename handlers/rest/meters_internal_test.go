package rest

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Memory is bounded by the tenants that are busy, not by those ever seen.
func TestIdleTenantsAreForgotten(t *testing.T) {
	now := time.Unix(0, 0)
	m := newMeters(map[Class]Rate{Requests: {Limit: 10, Per: time.Second}}, nil, func() time.Time { return now })
	for i := range 1000 {
		m.count(Requests, strconv.Itoa(i))
	}
	require.Len(t, m.buckets, 1000)
	now = now.Add(sweepEvery)
	m.count(Requests, "busy")
	require.Len(t, m.buckets, 1)
	require.Equal(t, 8, m.count(Requests, "busy").remaining, "and who is busy is not")
}
