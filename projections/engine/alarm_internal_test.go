package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAMillionOfAKindWriteALineAMinute(t *testing.T) {
	var a alarms
	now := time.Now()
	lines, told := 0, 0
	for i := range 1_000_000 {
		if n := a.due("x", 1, now.Add(time.Duration(i)*time.Millisecond/10)); n > 0 { // a hundred seconds
			lines++
			told += n
		}
	}
	require.Equal(t, 2, lines)
	require.Equal(t, 600_001, told, "the second line tells of all before it")
	require.Equal(t, 1, a.due("y", 1, now), "another kind is told at once")
}
