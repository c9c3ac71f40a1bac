package embedded

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func holdLock(dir string) error {
	if _, err := Lock(dir); err != nil {
		return err
	}
	fmt.Println("held")
	select {}
}

func TestLockIsForOneProcess(t *testing.T) {
	dir := t.TempDir()
	holder := startChild(t, "hold the lock", dir)
	require.Equal(t, []string{"held"}, holder.said(1))

	_, err := Lock(dir)

	require.ErrorIs(t, err, ErrLocked)
	require.ErrorContains(t, err, "kill "+strconv.Itoa(holder.cmd.Process.Pid))
	require.ErrorContains(t, err, dir)
}

func TestLockEndsWithAKilledProcess(t *testing.T) {
	dir := t.TempDir()
	holder := startChild(t, "hold the lock", dir)
	require.Equal(t, []string{"held"}, holder.said(1))

	holder.kill9()

	release, err := Lock(dir)
	require.NoError(t, err)
	release()
}

// A supervisor that starts the next process right after the kill does not wait until
// the kernel has taken the old one apart.
func TestLockIsTakenFromAProcessThatIsAboutToBeGone(t *testing.T) {
	dir := t.TempDir()
	for range 20 {
		holder := startChild(t, "hold the lock", dir)
		require.Equal(t, []string{"held"}, holder.said(1))
		require.NoError(t, holder.cmd.Process.Kill())

		release, err := Lock(dir)

		require.NoError(t, err)
		release()
		holder.kill9()
	}
}

func TestLockCanBeTakenAgainAfterRelease(t *testing.T) {
	dir := t.TempDir()
	release, err := Lock(dir)
	require.NoError(t, err)
	_, err = Lock(dir)
	require.ErrorContains(t, err, strconv.Itoa(os.Getpid())+" (this one)")

	release()

	release, err = Lock(dir)
	require.NoError(t, err)
	release()
}
