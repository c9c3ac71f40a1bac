package datafolder

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
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
	holder := childtest.Start(t, "hold the lock", dir)
	require.Equal(t, []string{"held"}, holder.Said(1))

	_, err := Lock(dir)

	require.ErrorIs(t, err, ErrLocked)
	require.ErrorContains(t, err, "kill "+strconv.Itoa(holder.Process().Pid))
	require.ErrorContains(t, err, dir)
}

func TestLockEndsWithAKilledProcess(t *testing.T) {
	dir := t.TempDir()
	holder := childtest.Start(t, "hold the lock", dir)
	require.Equal(t, []string{"held"}, holder.Said(1))

	holder.Kill9()

	release, err := Lock(dir)
	require.NoError(t, err)
	release()
}

// A supervisor that starts the next process right after the kill does not wait until
// the kernel has taken the old one apart.
func TestLockIsTakenFromAProcessThatIsAboutToBeGone(t *testing.T) {
	dir := t.TempDir()
	for range 20 {
		holder := childtest.Start(t, "hold the lock", dir)
		require.Equal(t, []string{"held"}, holder.Said(1))
		require.NoError(t, holder.Process().Kill())

		release, err := Lock(dir)

		require.NoError(t, err)
		release()
		holder.Kill9()
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
