package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// seconds are times of a test's own.
func seconds(s float64) time.Time {
	return time.Unix(0, 0).Add(time.Duration(s * float64(time.Second)))
}

func TestAnOwnerThatHasJustComeIsGivenItsTime(t *testing.T) {
	long := tenure{}.seen(row{epoch: 7, next: 5}, seconds(0))
	came := long.seen(row{epoch: 8, next: 5}, seconds(10))
	behind := long.seen(row{epoch: 8, next: 6}, seconds(10))
	tests := []struct {
		name    string
		of      tenure
		next    int64
		at      float64
		settles bool
	}{
		{"who may have been there for long", long, 5, 0, false},
		{"behind one in vain, at first", came, 5, 11.9, true},
		{"behind one in vain, later", came, 5, 12, false},
		{"seen again", came.seen(row{epoch: 8, next: 5}, seconds(11)), 5, 12, false},
		{"behind one that got on, at first", behind, 6, 10.9, true},
		{"behind one that got on, later", behind, 6, 11, false},
		{"who moved the checkpoint already", behind, 7, 10.1, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.settles, test.of.settles(test.next, seconds(test.at)))
		})
	}
}

// Given two nodes of a machine that is so busy that an owner gets to its first transaction
// after seconds, when both wait for the partition and see no progress, then after a few
// take-overs one of them gets there.
func TestNodesDoNotTakeAPartitionFromEachOtherForEver(t *testing.T) {
	for _, needs := range []time.Duration{10 * time.Millisecond, 700 * time.Millisecond, 3 * time.Second, 7 * time.Second} {
		t.Run(needs.String(), func(t *testing.T) {
			at, owner, takes := row{next: 4, epoch: 32}, 0, 0
			var began time.Time
			var nodes [2]tenure
			for now := seconds(0); takes == 0 || now.Sub(began) < needs; now = now.Add(stalledAfter) {
				for i := range nodes {
					nodes[i] = nodes[i].seen(at, now)
				}
				if other := 1 - owner; !nodes[other].settles(at.next, now) {
					at.epoch, owner, began = at.epoch+1, other, now
					takes++
				}
				require.LessOrEqual(t, takes, 6)
			}
		})
	}
}
