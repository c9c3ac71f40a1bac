package faults

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// aLog is a broker's folder with three partitions of six batches each.
func aLog(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"parley.calls-0", "parley.calls-1", "parley.scopes-0"} {
		var data []byte
		for n := range 6 {
			batch := make([]byte, 12+100+n)
			binary.BigEndian.PutUint64(batch, uint64(n))
			binary.BigEndian.PutUint32(batch[8:], uint32(100+n))
			copy(batch[12:], strings.Repeat(name, 6))
			data = append(data, batch...)
		}
		folder := filepath.Join(dir, "log", "partitions", name)
		require.NoError(t, os.MkdirAll(folder, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "0.dat"), data, 0o644))
	}
	return dir
}

// Each damage changes the log, in the partitions that it names and nowhere else.
func TestEachDamageChangesWhatItNames(t *testing.T) {
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			for seed := range uint64(20) {
				dir := aLog(t)
				before, err := digest(dir)
				require.NoError(t, err)
				found, err := partitionsIn(dir, "parley.")
				require.NoError(t, err)
				require.Len(t, found, 3)
				where, err := d.do(found, rand.New(rand.NewPCG(seed, 9)))
				require.NoError(t, err)
				after, err := digest(dir)
				require.NoError(t, err)
				names := changed(before, after)
				require.NotEmpty(t, names)
				for _, name := range names {
					require.True(t, within(name, where), "%s is not in %v", name, where)
				}
			}
		})
	}
}

func within(name string, where []string) bool {
	for _, w := range where {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// A flipped byte has whole batches on both sides, so that cutting it off as a torn tail
// would lose what was acknowledged.
func TestTheFlippedByteIsInTheMiddle(t *testing.T) {
	for seed := range uint64(50) {
		dir := aLog(t)
		found, err := partitionsIn(dir, "parley.calls")
		require.NoError(t, err)
		require.Len(t, found, 2)
		whole, err := os.ReadFile(found[0])
		require.NoError(t, err)
		_, err = flipByte(found[:1], rand.New(rand.NewPCG(seed, 9)))
		require.NoError(t, err)
		flipped, err := os.ReadFile(found[0])
		require.NoError(t, err)
		starts := batchesOf(whole)
		require.Equal(t, whole[:starts[1]], flipped[:starts[1]])
		require.Equal(t, whole[starts[5]:], flipped[starts[5]:])
		require.NotEqual(t, whole, flipped)
	}
}

func TestALogThatIsTooSmallIsNotDamaged(t *testing.T) {
	_, err := partitionsIn(aLog(t), "parley.scopes")
	require.ErrorContains(t, err, "too few")
}

func TestARefusalNamesThePlace(t *testing.T) {
	const said = "error: the log in /data/kafka is damaged: log/partitions/parley.calls-1/0.dat: byte 77: " +
		"parley.calls/1: what is here is no whole batch"
	for name, c := range map[string]struct {
		code  int
		said  string
		where []string
		fits  bool
	}{
		"it says where":           {1, said, []string{"parley.calls-1"}, true},
		"one of two":              {1, said, []string{"parley.calls-0", "parley.calls-1"}, true},
		"another place":           {1, said, []string{"parley.calls-0"}, false},
		"it ended well":           {0, said, []string{"parley.calls-1"}, false},
		"it failed by its folder": {1, "error: the folder is taken", []string{"parley.calls-1"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			err := refusal(c.code, c.said, c.where)
			require.Equal(t, c.fits, err == nil, "%v", err)
		})
	}
}
