package embedded

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
	"github.com/parley-platform/parley/adapters/embedded/logfolder"
)

// damages are what can happen to a log. Each says in which file it is found, and from
// which byte on; the partition is the second, unless it says another.
var damages = map[string]func(f logOnDisk) (file string, at int){
	"flip in the first segment": func(f logOnDisk) (string, int) {
		file := f.segments(filledTopic, 1)[0]
		f.flip(file, f.batches(file)[2]+100)
		return file, f.batches(f.segments(filledTopic, 1)[0])[2]
	},
	"flip in the last segment": func(f logOnDisk) (string, int) {
		file := last(f.segments(filledTopic, 1))
		f.flip(file, 80)
		return file, 0
	},
	"flip in the last batch": func(f logOnDisk) (string, int) {
		file := last(f.segments(filledTopic, 1))
		starts := f.batches(file)
		f.flip(file, starts[len(starts)-1]-3)
		return file, starts[len(starts)-2]
	},
	"flip in a length": func(f logOnDisk) (string, int) {
		file := f.segments(filledTopic, 1)[1]
		at := f.batches(file)[1]
		f.flip(file, at+10)
		return file, at
	},
	"flip in an offset, which no checksum covers": func(f logOnDisk) (string, int) {
		file := f.segments(filledTopic, 1)[1]
		at := f.batches(file)[1]
		f.flip(file, at+3)
		return file, at
	},
	"flip in a leader epoch, which no checksum covers": func(f logOnDisk) (string, int) {
		file := f.segments(filledTopic, 1)[1]
		at := f.batches(file)[1]
		f.flip(file, at+13)
		return file, at + 12
	},
	"flip in a topic that is not of the log": func(f logOnDisk) (string, int) {
		file := f.segments(plainTopic, 0)[0]
		f.flip(file, 90)
		return file, 0
	},
	"flip among the places of groups": func(f logOnDisk) (string, int) {
		file := filepath.Join(f.dir, "log", "groups.log")
		f.flip(file, 12)
		return file, 0
	},
	"flip in the list of topics": func(f logOnDisk) (string, int) {
		file := filepath.Join(f.dir, "log", "topics.json")
		f.flip(file, 0)
		return file, 0
	},
	"cut in the first segment": func(f logOnDisk) (string, int) {
		file := f.segments(filledTopic, 1)[0]
		at := f.batches(file)[2]
		f.write(file, f.read(file)[:at+50])
		return file, at
	},
	"cut at a border in the middle": func(f logOnDisk) (string, int) {
		files := f.segments(filledTopic, 1)
		f.write(files[1], f.read(files[1])[:f.batches(files[1])[3]])
		return files[2], 0
	},
	"cut in the last batch": func(f logOnDisk) (string, int) {
		file := last(f.segments(filledTopic, 1))
		starts := f.batches(file)
		f.write(file, f.read(file)[:starts[len(starts)-1]-20])
		return file, starts[len(starts)-2]
	},
	"cut at the border of the last batch": func(f logOnDisk) (string, int) {
		file := last(f.segments(filledTopic, 1))
		starts := f.batches(file)
		f.write(file, f.read(file)[:starts[len(starts)-2]])
		return file, starts[len(starts)-2]
	},
	"cut at the border of the last batch, with its index": func(f logOnDisk) (string, int) {
		file := last(f.segments(filledTopic, 1))
		starts := f.batches(file)
		f.write(file, f.read(file)[:starts[len(starts)-2]])
		index := strings.TrimSuffix(file, ".dat") + ".idx"
		f.write(index, f.read(index)[:15*(len(starts)-2)])
		return file, starts[len(starts)-2]
	},
	"cut at the border of the last batch, of a partition where no group stands": func(f logOnDisk) (string, int) {
		file := last(f.segments(plainTopic, 1))
		starts := f.batches(file)
		f.write(file, f.read(file)[:starts[len(starts)-2]])
		f.remove(strings.TrimSuffix(file, ".dat") + ".idx")
		return file, starts[len(starts)-2]
	},
	"empty first segment": func(f logOnDisk) (string, int) {
		file := f.segments(filledTopic, 1)[0]
		f.write(file, nil)
		return file, 0
	},
	"empty middle segment": func(f logOnDisk) (string, int) {
		file := f.segments(filledTopic, 1)[2]
		f.write(file, nil)
		return file, 0
	},
	"empty last segment": func(f logOnDisk) (string, int) {
		file := last(f.segments(filledTopic, 1))
		f.write(file, nil)
		return file, 0
	},
	"empty partition": func(f logOnDisk) (string, int) {
		for _, file := range f.segments(filledTopic, 1) {
			f.write(file, nil)
		}
		return filepath.Join(f.partition(filledTopic, 1), "0.dat"), 0
	},
	"deleted first segment": func(f logOnDisk) (string, int) {
		files := f.segments(filledTopic, 1)
		f.remove(files[0])
		return files[1], 0
	},
	"deleted middle segment": func(f logOnDisk) (string, int) {
		files := f.segments(filledTopic, 1)
		f.remove(files[2])
		return files[3], 0
	},
	"deleted last segment": func(f logOnDisk) (string, int) {
		files := f.segments(filledTopic, 1)
		f.remove(last(files))
		before := files[len(files)-2]
		return before, len(f.read(before))
	},
	"deleted last segment with its index": func(f logOnDisk) (string, int) {
		files := f.segments(filledTopic, 1)
		f.remove(last(files))
		f.remove(strings.TrimSuffix(last(files), ".dat") + ".idx")
		before := files[len(files)-2]
		return before, len(f.read(before))
	},
	"deleted partition": func(f logOnDisk) (string, int) {
		f.remove(f.partition(filledTopic, 1))
		return f.partition(filledTopic, 1), 0
	},
	"deleted topic": func(f logOnDisk) (string, int) {
		for p := range filledPartitions {
			f.remove(f.partition(filledTopic, p))
		}
		return f.partition(filledTopic, 0), 0
	},
	"deleted list of topics": func(f logOnDisk) (string, int) {
		f.remove(filepath.Join(f.dir, "log", "topics.json"))
		return filepath.Join(f.dir, "log", "topics.json"), 0
	},
	"deleted description of the folder": func(f logOnDisk) (string, int) {
		f.remove(filepath.Join(f.dir, "log", "meta.json"))
		return filepath.Join(f.dir, "log", "meta.json"), 0
	},
	"deleted log": func(f logOnDisk) (string, int) {
		f.remove(filepath.Join(f.dir, "log"))
		return filepath.Join(f.dir, "log", "topics.json"), 0
	},
	"swapped partitions": func(f logOnDisk) (string, int) {
		f.swap(f.partition(filledTopic, 1), f.partition(filledTopic, 2))
		return filepath.Join(f.partition(filledTopic, 1), "0.dat"), 0
	},
	"swapped partitions of a topic that is not of the log": func(f logOnDisk) (string, int) {
		f.swap(f.partition(plainTopic, 0), f.partition(plainTopic, 1))
		return filepath.Join(f.partition(plainTopic, 0), "0.dat"), 0
	},
	"swapped segments of a partition": func(f logOnDisk) (string, int) {
		files := f.segments(filledTopic, 1)
		f.swap(files[1], files[2])
		return files[1], 0
	},
	"swapped segments of two partitions": func(f logOnDisk) (string, int) {
		f.swap(f.segments(filledTopic, 1)[0], f.segments(filledTopic, 2)[0])
		return f.segments(filledTopic, 1)[0], 0
	},
	"duplicated segment": func(f logOnDisk) (string, int) {
		files := f.segments(filledTopic, 1)
		twice := filepath.Join(f.partition(filledTopic, 1), strconv.Itoa(filledRecords+1)+".dat")
		f.write(twice, f.read(last(files)))
		return twice, 0
	},
	"duplicated batch": func(f logOnDisk) (string, int) {
		file := last(f.segments(filledTopic, 1))
		starts, data := f.batches(file), f.read(file)
		f.write(file, append(data, data[starts[len(starts)-2]:]...))
		return file, len(data)
	},
	"duplicated partition": func(f logOnDisk) (string, int) {
		f.remove(f.partition(filledTopic, 1))
		require.NoError(f.t, os.CopyFS(f.partition(filledTopic, 1), os.DirFS(f.partition(filledTopic, 2))))
		return filepath.Join(f.partition(filledTopic, 1), "0.dat"), 0
	},
}

func last(files []string) string { return files[len(files)-1] }

// written makes a log in a process of its own, which is then killed.
func written(t *testing.T, role string) string {
	t.Helper()
	childtest.Integration(t)
	dir := filepath.Join(t.TempDir(), "kafka")
	writer := childtest.Start(t, role, dir)
	require.Equal(t, []string{"filled"}, writer.Said(1))
	writer.Kill9()
	return dir
}

// Given a log that lost something, when the broker is to start, then it refuses, says
// in which file and at which byte, and every file is as it was: after a clean stop and
// after a kill, whether read models remember how far the log was or not.
func TestBrokerRefusesADamagedLogAndChangesNothing(t *testing.T) {
	for _, role := range []string{"fill and stop", "fill and wait"} {
		whole := written(t, role)
		for name, damage := range damages {
			for _, known := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/read models %t", role, name, known), func(t *testing.T) {
					f := logOnDisk{t, filepath.Join(t.TempDir(), "kafka")}
					require.NoError(t, os.CopyFS(f.dir, os.DirFS(whole)))
					file, at := damage(f)
					before := f.digest()
					requireRefused(t, f, file, at, known)
					require.Equal(t, before, f.digest(), "the folder was changed")
				})
			}
		}
	}
}

func requireRefused(t *testing.T, f logOnDisk, file string, at int, known bool) {
	t.Helper()
	cfg := BrokerConfig{Dir: f.dir, Log: childtest.Log(t)}
	if known {
		for p := range filledPartitions {
			cfg.Known = append(cfg.Known,
				logfolder.Known{Topic: filledTopic, Partition: p, End: filledRecords + 1, Who: "the checkpoint of the read models", LogID: filledLog})
		}
	}
	broker, err := StartBroker(cfg)
	if err == nil {
		require.NoError(t, broker.Close())
	}
	var damaged *logfolder.DamagedError
	require.ErrorAs(t, err, &damaged)
	where, err2 := filepath.Rel(f.dir, file)
	require.NoError(t, err2)
	found := slices.IndexFunc(damaged.Damage, func(d logfolder.Damage) bool { return d.File == where && d.At == int64(at) })
	require.GreaterOrEqual(t, found, 0, "%s at %d is not among %v", where, at, damaged.Damage)
	require.ErrorContains(t, err, damaged.Damage[0].File+": byte "+strconv.FormatInt(damaged.Damage[0].At, 10))
	require.ErrorContains(t, err, "parley log salvage --data "+filepath.Dir(f.dir))
}

// Given a log that is whole, the broker starts, however it was left.
func TestBrokerStartsOnAWholeLogHoweverItWasLeft(t *testing.T) {
	for _, role := range []string{"fill and stop", "fill and wait"} {
		t.Run(role, func(t *testing.T) {
			broker := startBroker(t, written(t, role))
			requireFilled(t, broker)
		})
	}
}

func requireFilled(t *testing.T, broker running) {
	t.Helper()
	for p := range filledPartitions {
		got := values(t, broker.client, filledTopic, p)
		require.Len(t, got, filledRecords+1)
		for n := range filledRecords {
			require.Equal(t, filledValue(p, n), got[n+1])
		}
	}
}

// Given a batch that was being written when the process died, so that it was acknowledged
// to nobody, when the broker starts, then it is cut off and all that was acknowledged is
// there. Its bytes are those of a real next batch, up to each place where writing stops.
func TestBrokerCutsOffABatchThatNobodyWasToldAbout(t *testing.T) {
	whole := written(t, "fill and wait")
	longer := filepath.Join(t.TempDir(), "kafka")
	require.NoError(t, os.CopyFS(longer, os.DirFS(whole)))
	broker := startBroker(t, longer)
	require.NoError(t, appendTo(broker.client, filledTopic, 1, filledValue(1, filledRecords)))
	require.NoError(t, broker.Close())
	file := last((logOnDisk{t, longer}).segments(filledTopic, 1))
	all, err := os.ReadFile(file)
	require.NoError(t, err)
	starts := (logOnDisk{t, longer}).batches(file)
	begin := starts[len(starts)-2]
	for _, end := range []int{begin + 1, begin + 11, begin + 40, begin + 61, len(all) - 1} {
		t.Run(strconv.Itoa(end-begin), func(t *testing.T) {
			f := logOnDisk{t, filepath.Join(t.TempDir(), "kafka")}
			require.NoError(t, os.CopyFS(f.dir, os.DirFS(whole)))
			f.write(filepath.Join(f.partition(filledTopic, 1), filepath.Base(file)), all[:end])
			requireFilled(t, startBroker(t, f.dir))
		})
	}
}
