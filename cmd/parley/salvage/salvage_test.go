package salvage

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/logfolder"
)

// folder makes files, each with what is in it.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

func TestWhereASalvagedLogMayGo(t *testing.T) {
	data := folder(t, map[string]string{"kafka/log/x": ""})
	beside := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(beside, "nothing"), filepath.Join(beside, "dangling")))
	for name, c := range map[string]struct{ data, to, says string }{
		"beside it":               {data, data + "-saved", ""},
		"anywhere else":           {data, filepath.Join(beside, "a", "b"), ""},
		"by a way that goes back": {data, filepath.Join(data, "..", "saved"), ""},
		"a name like two dots":    {data, filepath.Join(data, "..saved"), "which is only read"},
		"into itself":             {data, filepath.Join(data, "saved"), "which is only read: name another place"},
		"over what is there":      {data, beside, "it exists; name a folder that does not"},
		"over itself":             {data, data, "it exists"},
		"over a link to nowhere":  {data, filepath.Join(beside, "dangling"), "it exists"},
		"of a folder without log": {beside, data + "-saved", "there is no embedded log"},
		"of nothing":              {filepath.Join(beside, "none"), data + "-saved", "there is no embedded log"},
	} {
		err := (&Command{Data: c.data, To: c.to}).check()
		if c.says == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, c.says, name)
		}
	}
}

// Keys, files and what else there is come along as they are; the log, which is salvaged, the
// read models, which are built anew, and what belongs to a process do not.
func TestWhatComesAlong(t *testing.T) {
	data := folder(t, map[string]string{"keyset.json": "keys", "files/a/b": "blob", "kafka/node-id": "n-1",
		"kafka/log/partitions/p/0.dat": "log",
		"kafka/" + logfolder.NotesFile: "notes", "postgres/PG_VERSION": "17", "node.lock": "12", "kafka/broker.lock": "12",
		"postgres.conf": "own", "files/postgres/x": "a file that is only called so"})
	require.NoError(t, os.Chmod(filepath.Join(data, "files/a/b"), 0o640))
	require.NoError(t, os.Symlink("keyset.json", filepath.Join(data, "current")))
	socket, err := net.Listen("unix", filepath.Join(data, "s"))
	require.NoError(t, err)
	defer socket.Close()

	to := t.TempDir()
	require.NoError(t, (&Command{Data: data}).copyRest(to))
	got := map[string]string{}
	require.NoError(t, filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(to, path)
		require.NoError(t, err)
		if d.Type()&fs.ModeSymlink != 0 {
			got[name], err = os.Readlink(path)
			return err
		}
		text, err := os.ReadFile(path)
		got[name] = string(text)
		return err
	}))
	require.Equal(t, map[string]string{"keyset.json": "keys", "files/a/b": "blob", "kafka/node-id": "n-1", "postgres.conf": "own",
		"files/postgres/x": "a file that is only called so", "current": "keyset.json"}, got)
	mode := func(name string) fs.FileMode {
		info, err := os.Stat(filepath.Join(to, name))
		require.NoError(t, err)
		return info.Mode().Perm()
	}
	require.Equal(t, []fs.FileMode{0o600, 0o640, 0o700}, []fs.FileMode{mode("keyset.json"), mode("files/a/b"), mode("files")})

	require.ErrorIs(t, (&Command{Data: data}).copyRest(to), fs.ErrExist, "nothing is written over")
	require.ErrorIs(t, (&Command{Data: filepath.Join(data, "none")}).copyRest(to), fs.ErrNotExist)
}

func found() *logfolder.Salvaged {
	return &logfolder.Salvaged{OldLog: "log-1", NewLog: "log-2", Batches: 12, Bytes: 3456, Foreign: []string{"parley.calls/3"},
		Damage:  []logfolder.Damage{{File: "0.dat", At: 70, Topic: "parley.calls", Part: 1, From: 7, To: 9, What: "the checksum is wrong"}},
		Missing: []logfolder.Missing{{Topic: "parley.calls", Partition: 1, From: 7, To: 9, Bytes: 128}}}
}

func TestWhatIsMissingIsListed(t *testing.T) {
	var out bytes.Buffer
	showSalvaged(&out, "saved", found(), map[string]int{"parley.sessions": 1, "parley.calls": 2})
	require.Equal(t, `salvaged 12 batches, 3456 bytes, into saved: log log-2, which was log log-1

damage:
  0.dat: byte 70: parley.calls/1: the checksum is wrong
  parley.calls/3 is of another log and was left

missing:
  parley.calls/1: offsets 7 to 8 (2 records), 128 bytes that are no whole batch
  parley.calls: 2 whole commits count no more, since the commit before them in their stream is lost
  parley.sessions: 1 whole commits count no more, since the commit before them in their stream is lost

next: parley serve --data saved
`, out.String())

	out.Reset()
	showSalvaged(&out, "saved", &logfolder.Salvaged{OldLog: "log-1", NewLog: "log-2"}, map[string]int{})
	require.Contains(t, out.String(), "\nmissing:\n  no offset\n  all commits that were copied count as they did\n")
}

func TestWhatIsMissingIsListedForPrograms(t *testing.T) {
	shown := func(s *logfolder.Salvaged, lost map[string]int) string {
		data, err := json.Marshal(reportOf("saved", s, lost))
		require.NoError(t, err)
		return string(data)
	}
	require.JSONEq(t, `{"to":"saved","oldLogId":"log-1","newLogId":"log-2","batches":12,"bytes":3456,
		"damage":["0.dat: byte 70: parley.calls/1: the checksum is wrong"],"foreign":["parley.calls/3"],
		"missing":[{"topic":"parley.calls","partition":1,"from":7,"to":9,"bytes":128}],"commitsLost":{"parley.calls":2}}`,
		shown(found(), map[string]int{"parley.calls": 2}))
	require.JSONEq(t,
		`{"to":"saved","oldLogId":"","newLogId":"","batches":0,"bytes":0,"damage":[],"foreign":[],"missing":[],"commitsLost":{}}`,
		shown(&logfolder.Salvaged{}, map[string]int{}), "lists that are empty are lists")
}
