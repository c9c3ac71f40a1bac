package embedded

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
)

// Given a broker at a fixed address, a free one, or a folder that was moved: then others
// find it by the folder alone.
func TestABrokerIsFoundByItsFolder(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "kafka")
	found := func(listen string) string {
		t.Helper()
		b, err := StartBroker(BrokerConfig{Dir: dir, Listen: listen, Log: childtest.Log(t), UnsafeNoSync: true})
		require.NoError(t, err)
		defer func() { require.NoError(t, b.Close()) }()
		at, login, err := BrokerAt(dir)
		require.NoError(t, err)
		require.Equal(t, b.Addrs()[0], at)
		require.NotNil(t, login)
		return at
	}
	free := found("")
	fixed := listen127(t, "127.0.0.7")
	require.Equal(t, fixed, found(fixed))

	moved := filepath.Join(root, "moved")
	require.NoError(t, os.Rename(dir, moved))
	dir = moved
	require.Equal(t, free, found(""), "the folder's own port outlives a start at a fixed address")

	require.NoError(t, os.Remove(filepath.Join(dir, addressFile)))
	at, _, err := BrokerAt(dir)
	require.NoError(t, err)
	require.Equal(t, free, at, "a version that noted no address remembered its port")

	_, _, err = BrokerAt(t.TempDir())
	require.ErrorContains(t, err, "--kafka-brokers")
}

// listen127 is an address of the host with a port that was free a moment ago.
func listen127(t *testing.T, host string) string {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return l.Addr().String()
}
