package recording_test

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/blob"
	"github.com/parley-platform/parley/adapters/recording"
	"github.com/parley-platform/parley/domain/calls"
)

// shelf is a blob storage in memory.
type shelf struct {
	files map[string][]byte
	down  error
}

func (s *shelf) Put(_ context.Context, prefix, _ string, content []byte) (string, error) {
	if s.down != nil {
		return "", s.down
	}
	name := prefix + "/" + blob.Sum(content)
	s.files[name] = content
	return name, nil
}

func (s *shelf) Delete(_ context.Context, name string) error { delete(s.files, name); return nil }

func open(t *testing.T) (*recording.Folder, *shelf, string) {
	t.Helper()
	on, dir := &shelf{files: map[string][]byte{}}, filepath.Join(t.TempDir(), "recordings")
	f, err := recording.Open(dir, on)
	require.NoError(t, err)
	return f, on, dir
}

func frame(v int16) []int16 {
	out := make([]int16, 160)
	for i := range out {
		out[i] = v
	}
	return out
}

func unbroken(t *testing.T) func(error) {
	return func(err error) { t.Errorf("the recording broke: %v", err) }
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	return all
}

// checkWAV is a file of two channels: the callee's, and ours.
func checkWAV(t *testing.T, content []byte, seconds float64, heard, said int16) {
	t.Helper()
	field := func(at int) int { return int(binary.LittleEndian.Uint16(content[at:])) }
	require.Equal(t, "RIFF", string(content[:4]))
	require.Equal(t, len(content)-8, int(binary.LittleEndian.Uint32(content[4:])))
	require.Equal(t, []int{1, 2, 8000, 4, 16}, []int{field(20), field(22), field(24), field(32), field(34)})
	require.Equal(t, len(content)-44, int(binary.LittleEndian.Uint32(content[40:])))
	require.InDelta(t, seconds*32_000, len(content)-44, 4)
	require.Equal(t, []int{int(heard), int(said)}, []int{field(44), field(46)})
}

func TestACallIsRecorded(t *testing.T) {
	f, on, dir := open(t)
	tape, err := f.Begin("acme/ü", "c-1", unbroken(t))
	require.NoError(t, err)
	for range 130 { // 2.6 s
		tape.Write(frame(7), frame(9))
	}
	kept, err := tape.Keep(t.Context())
	require.NoError(t, err)
	require.Equal(t, []any{int64(2_600), int64(83_244), false}, []any{kept.Ms, kept.SizeBytes, kept.CutOff})
	require.Equal(t, kept.Blob, calls.RecordingFolder("acme/ü", "c-1")+"/"+kept.SHA256)
	checkWAV(t, on.files[kept.Blob], 2.6, 7, 9)
	require.NoError(t, tape.Done(t.Context(), true))
	require.Empty(t, files(t, dir))
	require.Len(t, on.files, 1)
	tape.Write(frame(1), frame(1)) // of a pacer that has not heard yet

	empty, err := f.Begin("acme", "c-2", unbroken(t))
	require.NoError(t, err)
	kept, err = empty.Keep(t.Context())
	require.NoError(t, err)
	require.Empty(t, kept.Blob, "nobody said anything")
	require.NoError(t, empty.Done(t.Context(), false))

	forgotten, err := f.Begin("acme", "c-3", unbroken(t))
	require.NoError(t, err)
	forgotten.Write(frame(1), frame(1))
	_, err = forgotten.Keep(t.Context())
	require.NoError(t, err)
	require.Len(t, on.files, 2)
	require.NoError(t, forgotten.Done(t.Context(), false))
	require.Len(t, on.files, 1, "what nobody keeps is nowhere")
	require.Empty(t, files(t, dir))
}

// Given a process that was killed while it recorded, then the next one closes the file by its length.
func TestWhatAKilledProcessLeft(t *testing.T) {
	f, on, dir := open(t)
	tape, err := f.Begin("acme", "c-1", unbroken(t))
	require.NoError(t, err)
	for range 50 {
		tape.Write(frame(7), frame(9))
	}
	_, err = tape.Keep(t.Context())
	require.NoError(t, err)
	found := files(t, dir)
	require.Len(t, found, 1)
	content, err := os.ReadFile(found[0])
	require.NoError(t, err)
	require.NoError(t, os.Remove(found[0]))
	// The header is not to be trusted, and half a sample is there.
	clear(content[:44])
	for name, left := range map[string][]byte{"acme~c-7.part": content[:len(content)-1],
		"acme~c-8.part":  content[:20], // killed at once
		"acme~c-9.whole": content, "strange.part": nil} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), left, 0o600))
	}
	on.files = map[string][]byte{}

	next, err := recording.Open(dir, on)
	require.NoError(t, err)
	var told []any
	for _, left := range next.Left() {
		kept, err := left.Keep(t.Context())
		require.NoError(t, err)
		told = append(told, left.TenantID()+" "+left.CallID(), kept.Ms, kept.CutOff)
		if kept.Blob != "" {
			checkWAV(t, on.files[kept.Blob], 1, 7, 9)
		}
		require.NoError(t, left.Done(t.Context(), kept.Blob != ""))
	}
	require.Equal(t, []any{"acme c-7", int64(999), true, "acme c-8", int64(0), false, "acme c-9", int64(1_000), false}, told)
	require.Len(t, files(t, dir), 1)
}

// Given a call of which there is a part already, as one of a process that was killed, then it is not begun anew: the part stays.
func TestACallIsNotRecordedTwice(t *testing.T) {
	f, on, _ := open(t)
	tape, err := f.Begin("acme", "c-1", unbroken(t))
	require.NoError(t, err)
	for range 50 {
		tape.Write(frame(7), frame(9))
	}
	_, err = f.Begin("acme", "c-1", unbroken(t))
	require.ErrorContains(t, err, "a part of it was recorded before")
	kept, err := tape.Keep(t.Context())
	require.NoError(t, err)
	checkWAV(t, on.files[kept.Blob], 1, 7, 9)
}

func TestARecordingThatBreaks(t *testing.T) {
	t.Run("the disk is full", func(t *testing.T) {
		f, _, dir := open(t)
		require.NoError(t, os.Symlink("/dev/full", filepath.Join(dir, "acme~c-1.part")))
		_, err := f.Begin("acme", "c-1", unbroken(t))
		require.ErrorContains(t, err, "no space left on device")
		require.NotContains(t, err.Error(), "c-1")
	})
	t.Run("the disk is gone in the middle", func(t *testing.T) {
		f, on, dir := open(t)
		path := filepath.Join(dir, "acme~c-1.part")
		require.NoError(t, syscall.Mkfifo(path, 0o600))
		disk, err := os.OpenFile(path, os.O_RDWR, 0) // or nobody could open it
		require.NoError(t, err)
		broke := make(chan error, 2)
		tape, err := f.Begin("acme", "c-1", func(err error) { broke <- err })
		require.NoError(t, err)
		require.NoError(t, disk.Close())
		for range 200 {
			tape.Write(frame(1), frame(2)) // of whom nobody ever waits
		}
		require.ErrorContains(t, <-broke, "broken pipe")
		require.NoError(t, os.Remove(path))
		require.NoError(t, os.WriteFile(path, make([]byte, 44+32_000), 0o600)) // what came before
		tape.Write(frame(1), frame(2))
		kept, err := tape.Keep(t.Context())
		require.NoError(t, err)
		require.Equal(t, []any{true, int64(1_000)}, []any{kept.CutOff, kept.Ms})
		require.Len(t, on.files, 1)
		require.Empty(t, broke, "it is told once")
	})
	t.Run("nobody writes", func(t *testing.T) {
		f, on, dir := open(t)
		require.NoError(t, os.Mkdir(filepath.Join(dir, "acme~c-1.part"), 0o700))
		_, err := f.Begin("acme", "c-1", unbroken(t))
		require.Error(t, err)
		_, err = f.Begin("acme", "../c", unbroken(t))
		require.ErrorContains(t, err, "not one of a file")
		on.down = errors.New("the bucket is away")
		tape, err := f.Begin("acme", "c-2", unbroken(t))
		require.NoError(t, err)
		tape.Write(frame(1), frame(2))
		_, err = tape.Keep(t.Context())
		require.ErrorContains(t, err, "the bucket is away")
		on.down = nil
		kept, err := tape.Keep(t.Context())
		require.NoError(t, err, "it is still there")
		require.Equal(t, int64(20), kept.Ms)
	})
	t.Run("it lasts too long", func(t *testing.T) {
		f, _, _ := open(t)
		broke := make(chan error, 1)
		tape, err := f.Begin("acme", "c-1", func(err error) { broke <- err })
		require.NoError(t, err)
		second, silent := make([]int16, 8_000), make([]int16, 8_000)
		for range 3_700 { // either the disk or the bound ends it
			tape.Write(second, silent)
		}
		require.Error(t, <-broke)
		kept, err := tape.Keep(t.Context())
		require.NoError(t, err)
		require.True(t, kept.CutOff)
	})
}
