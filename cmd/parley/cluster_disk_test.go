package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
)

// memoryDisk is a file system that is always there, quick to fill, and used by hardly
// anybody else.
const memoryDisk = "/dev/shm"

func freeMiB(t *testing.T) int64 {
	t.Helper()
	var s syscall.Statfs_t
	require.NoError(t, syscall.Statfs(memoryDisk, &s))
	return int64(s.Bavail) * int64(s.Bsize) >> 20
}

// Given a disk that fills up under load, then changes are refused as not executed, what
// was acknowledged is read; when there is room again, all goes on without a restart.
func TestFullDiskIsSurvived(t *testing.T) {
	t.Parallel()
	binary(t) // skips
	database := embeddedtest.Database(t)
	data, err := os.MkdirTemp(memoryDisk, "parley-full-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(data) })
	const room = 24 // MiB until the disk counts as full
	reserve := strconv.FormatInt(freeMiB(t)-room, 10)
	p := serveDev(t, data, freeAddress(t), "--database-url", database, "--disk-reserve", reserve,
		"--call-lease", "3s")
	c, l := clientOf(p), newLedger()
	x := startLoad(l, "load", 4, c)
	p.await("acknowledgements", func() bool { return l.acknowledged() >= 30 })

	ballast := filepath.Join(data, "ballast")
	require.NoError(t, os.WriteFile(ballast, make([]byte, (room+8)<<20), 0o600))
	p.await("refusals", func() bool { return l.refused() >= 20 })
	rows, a, err := c.interactions()
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status, "%s", a)
	require.GreaterOrEqual(t, len(rows), 30, "what was acknowledged is read")
	a, err = c.dialOut("on a full disk")
	require.NoError(t, err)
	require.Equal(t, http.StatusServiceUnavailable, a.status, "%s", a)
	require.Equal(t, "NOT_EXECUTED", a.code)
	require.Contains(t, string(a.body), "retryAfterMs")
	require.Contains(t, p.out.String(), "make room")
	a, err = c.do(http.MethodGet, "/readyz", nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status, "it is served from")
	require.Regexp(t, `"name":"kafka","ready":true,"degraded":true,"detail":"appends nothing: [0-9]+ MiB are free`, string(a.body))
	doctor := func() (string, int) {
		return run(t, "doctor", "--data", data, "--database-url", database, "--disk-reserve", reserve)
	}
	said, code := doctor()
	require.Equal(t, 1, code, said)
	require.Regexp(t, `FAILURE +disk `, said)

	require.NoError(t, os.Remove(ballast))
	said, code = doctor()
	require.Zero(t, code, said)
	require.Regexp(t, `warning +disk `, said, "it is nearly full")
	after := l.acknowledged()
	p.await("acknowledgements when there is room", func() bool { return l.acknowledged() >= after+30 })
	x.stop()
	t.Logf("refusals: %v", l.refusals)
	for refusal := range l.refusals {
		require.Equal(t, "503 NOT_EXECUTED", refusal)
	}
	l.settle(t, c)
	l.requireSame(t, c)
	l.awaitEnds(t, c)
	requireOneEndEach(t, c.env["KAFKA_BROKERS"], l, loginOf(t, c.env))
}
