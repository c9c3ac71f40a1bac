package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheAgeOfABacklogIsThatOfItsOldestRecord(t *testing.T) {
	start := time.Now()
	after := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	var b backlog
	require.Zero(t, b.age(0, after(0)), "nothing was seen yet")
	b.rose(10, after(0))
	b.rose(10, after(1))
	b.rose(20, after(2))
	require.Equal(t, 5*time.Second, b.age(9, after(5)))
	require.Equal(t, 3*time.Second, b.age(10, after(5)), "what rose at 0 is projected")
	require.Zero(t, b.age(20, after(5)))
	b.rose(30, after(6))
	require.Equal(t, time.Second, b.age(20, after(7)))
	for i := range 10_000 { // long behind
		b.rose(int64(100+i), after(8+i))
	}
	require.LessOrEqual(t, len(b.rises), mostRises)
	require.Equal(t, after(20_000).Sub(after(6)), b.age(20, after(20_000)), "the oldest is never forgotten")
	require.InDelta(t, 10_000, b.age(5_100, after(15_008)).Seconds(), 300, "and the others coarsely")
}
