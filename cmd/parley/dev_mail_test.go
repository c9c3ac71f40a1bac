package main

import (
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
)

// Given a node with --dev that has yet to start, then nobody else gets the address at which mail will come in.
func TestNobodyTakesTheAddressOfMailBeforeTheNodeHasStarted(t *testing.T) {
	t.Parallel()
	serve, cfg := ServeCmd{Data: t.TempDir()}, node.Config{}
	require.NoError(t, serve.play(newDeveloper(io.Discard), &cfg))
	defer func() { _ = cfg.SMTPDoor.Close() }()
	_, err := net.Listen("tcp", cfg.SMTPDoor.Addr().String())
	require.ErrorContains(t, err, "in use")
}
