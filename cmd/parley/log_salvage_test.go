package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Given a node whose log loses a batch in its middle while it is down, with read models
// and without, when it starts, then it refuses and names the place; the doctor lists it;
// and what salvage makes of it is served, by another log, with the rest.
func TestADamagedLogIsRefusedExplainedAndSalvaged(t *testing.T) {
	t.Parallel()
	data := dataFolder(t)
	node := serveDev(t, data, freeAddress(t))
	node.kill()
	file, at := spoilBatch(t, filepath.Join(data, "kafka"))
	where := file + ": byte " + strconv.Itoa(at)
	spoiled, err := os.ReadFile(filepath.Join(data, "kafka", file))
	require.NoError(t, err)

	refused := func() {
		t.Helper()
		said, code := run(t, "serve", "--data", data, "--listen", freeAddress(t))
		require.Equal(t, 1, code, said)
		require.Contains(t, said, where)
		require.Contains(t, said, "parley log salvage --data "+data)
		now, err := os.ReadFile(filepath.Join(data, "kafka", file))
		require.NoError(t, err)
		require.Equal(t, spoiled, now)
	}
	refused()
	said, code := run(t, "doctor", "--data", data)
	require.Equal(t, 1, code, said)
	require.Contains(t, said, where)
	require.Contains(t, said, "from a backup")
	require.NoError(t, os.RemoveAll(filepath.Join(data, "postgres")))
	refused()

	saved := filepath.Join(dataFolder(t), "saved")
	said, code = run(t, "log", "salvage", "--data", data, "--to", saved)
	require.Zero(t, code, said)
	for _, line := range []string{where, "records), ", "no whole batch", "count", "parley serve --data " + saved} {
		require.Contains(t, said, line)
	}
	said, code = run(t, "log", "salvage", "--data", data, "--to", saved)
	require.Equal(t, 2, code, said)
	require.Contains(t, said, "it exists; name a folder that does not")

	toPrograms(t, data, where)

	again := serve(t, saved, freeAddress(t))
	again.awaitReady()
	again.terminate()
	require.Zero(t, again.exit(patience))
	said, code = run(t, "doctor", "--data", saved, "--scan")
	require.Zero(t, code, said)
	require.NotContains(t, said, "malformed")
}

// toPrograms salvages once more, and holds the JSON object to what people are told.
func toPrograms(t *testing.T, data, where string) {
	t.Helper()
	to := filepath.Join(dataFolder(t), "saved")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary(t), "log", "salvage", "--data", data, "--to", to, "-o", "json")
	cmd.Env, cmd.Dir = clean(os.Environ()), t.TempDir()
	said, err := cmd.Output() // how far it is stands on standard error
	require.NoError(t, err)
	var out struct {
		To, OldLogID, NewLogID string
		Batches                int
		Damage                 []string
		Missing                []struct {
			Topic           string
			From, To, Bytes int64
		}
		CommitsLost map[string]int
	}
	require.NoError(t, json.Unmarshal(said, &out), "nothing but one object: %s", said)
	require.Equal(t, to, out.To)
	require.NotEmpty(t, out.OldLogID)
	require.NotEmpty(t, out.NewLogID)
	require.NotEqual(t, out.OldLogID, out.NewLogID)
	require.Positive(t, out.Batches)
	require.Len(t, out.Damage, 1)
	require.Contains(t, out.Damage[0], where)
	require.Len(t, out.Missing, 1)
	lost := out.Missing[0]
	require.Contains(t, where, lost.Topic)
	require.Greater(t, lost.To, lost.From)
	require.Positive(t, lost.Bytes)
	require.NotNil(t, out.CommitsLost, "none is an empty object")
}

// spoilBatch flips a byte in the last but one batch of the partition with the most of them.
func spoilBatch(t *testing.T, kafka string) (file string, at int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(kafka, "log", "partitions", "parley.*", "*.dat"))
	require.NoError(t, err)
	var most []int
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		var starts []int
		for pos := 0; pos < len(data); {
			starts = append(starts, pos)
			pos += 12 + int(data[pos+8])<<24 + int(data[pos+9])<<16 + int(data[pos+10])<<8 + int(data[pos+11])
		}
		if len(starts) > len(most) && !strings.Contains(f, "reactors") {
			file, most = f, starts
		}
	}
	require.Greater(t, len(most), 2)
	at = most[len(most)-2]
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	data = slices.Clone(data)
	data[at+70] ^= 1
	require.NoError(t, os.WriteFile(file, data, 0o600))
	file, err = filepath.Rel(kafka, file)
	require.NoError(t, err)
	return file, at
}
