package main

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheTimeOfAProcess(t *testing.T) {
	p, ok := parseStat("12 (a name) of) S 7 12 12 0 -1 4194560 100 200 0 0 30 5 2 1 20 0 1 0 5000 1 1")
	require.True(t, ok)
	assert.Equal(t, process{parent: 7, spent: 380 * time.Millisecond}, p)
	_, ok = parseStat("12 (short) S 7")
	assert.False(t, ok)
}

func TestOnlyItsOwnProcessesCount(t *testing.T) {
	all := map[int]process{1: {}, 7: {parent: 1}, 12: {parent: 7}, 13: {parent: 12}, 20: {parent: 1}}
	assert.True(t, under(all, 13, 7))
	assert.True(t, under(all, 7, 7))
	assert.False(t, under(all, 20, 7))
}

func TestTheTimeSpentGrows(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("there is no /proc here")
	}
	measured := begin()
	for begun := time.Now(); spent() == measured.before; {
		require.Less(t, time.Since(begun), time.Minute)
	}
	f := measured.done("looking at the time", 2)
	require.Positive(t, f.Rate)
	require.Positive(t, f.CPU)
}
