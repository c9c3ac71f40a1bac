package embedded

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/logfolder"
)

var ofFilled = logfolder.SalvageConfig{Topics: map[string]logfolder.SalvagedTopic{filledTopic: {Partitions: filledPartitions,
	Settings: topicSettings}}, Settings: topicSettings}

// Given a log with any damage, when it is salvaged, then a broker serves the new folder,
// with every record that is not listed as missing at its old offset; the ends are those
// that were acknowledged, and the damaged folder is as it was.
func TestSalvageKeepsEveryOtherRecordAtItsOffset(t *testing.T) {
	for _, role := range []string{"fill and stop", "fill and wait"} {
		whole := written(t, role)
		for name, damage := range damages {
			t.Run(role+"/"+name, func(t *testing.T) {
				f := logOnDisk{t, filepath.Join(t.TempDir(), "kafka")}
				require.NoError(t, os.CopyFS(f.dir, os.DirFS(whole)))
				damage(f)
				before := f.digest()
				to := filepath.Join(t.TempDir(), "kafka")
				out, err := logfolder.Salvage(t.Context(), f.dir, to, ofFilled)
				require.NoError(t, err)
				require.Equal(t, before, f.digest(), "the damaged folder was changed")
				require.NotEmpty(t, out.Damage)
				requireSalvaged(t, startBroker(t, to), out)
				again, err := logfolder.Scan(t.Context(), to, logfolder.ScanConfig{})
				require.NoError(t, err)
				require.NoError(t, again.Err())
				require.Equal(t, out.NewLog, again.LogID)
				require.NotEqual(t, filledLog, again.LogID)
			})
		}
	}
}

func requireSalvaged(t *testing.T, broker running, out *logfolder.Salvaged) {
	t.Helper()
	missing := map[string]bool{}
	for _, m := range out.Missing {
		for offset := m.From; offset < m.To; offset++ {
			missing[fmt.Sprint(m.Topic, m.Partition, offset)] = true
		}
	}
	for p := range filledPartitions {
		got := values(t, broker.client, filledTopic, p)
		require.Len(t, got, filledRecords+1, "%s/%d", filledTopic, p)
		for n := range filledRecords {
			want := filledValue(p, n)
			if missing[fmt.Sprint(filledTopic, p, n+1)] {
				want = "{}"
			}
			require.Equal(t, want, got[n+1], "%s/%d offset %d", filledTopic, p, n+1)
		}
	}
}

// Given one damaged batch, then what is missing is that batch and no more.
func TestSalvageLosesNoMoreThanWhatIsDamaged(t *testing.T) {
	f := logOnDisk{t, written(t, "fill and wait")}
	file, _ := damages["flip in the first segment"](f)
	starts := f.batches(file)
	out, err := logfolder.Salvage(t.Context(), f.dir, filepath.Join(t.TempDir(), "kafka"), ofFilled)
	require.NoError(t, err)
	require.Equal(t, []logfolder.Missing{{Topic: filledTopic, Partition: 1, From: 2, To: 3, Bytes: int64(starts[3] - starts[2])}}, out.Missing)
}

// A whole log is not salvaged: it would become another one for nothing.
func TestAWholeLogIsNotSalvaged(t *testing.T) {
	to := filepath.Join(t.TempDir(), "kafka")
	_, err := logfolder.Salvage(t.Context(), written(t, "fill and wait"), to, logfolder.SalvageConfig{})
	require.ErrorContains(t, err, "is whole: there is nothing to salvage")
	require.NoDirExists(t, to)
}
