package private

import (
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
)

// A server that is started again for those who know its address comes back there, or
// not at all: its port is waited for.
func TestPostgresKeepsAPortThatItMustHave(t *testing.T) {
	dir := reachableFolder(t)
	first := startPostgresIn(t, dir)
	require.NoError(t, first.Close())
	taken, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(first.Port()))
	require.NoError(t, err)

	cfg := PostgresConfig{Dir: dir, Log: childtest.Log(t), Port: first.Port()}
	_, err = StartPostgres(t.Context(), cfg)
	require.ErrorContains(t, err, strconv.Itoa(first.Port()))

	require.NoError(t, taken.Close())
	again, err := StartPostgres(t.Context(), cfg)
	require.NoError(t, err)
	defer func() { require.NoError(t, again.Close()) }()
	require.Equal(t, first.URL(), again.URL())
}
