package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The development workspace leaves this machine only where somebody says so, as the image does.
func TestTheDevelopmentWorkspaceStaysHere(t *testing.T) {
	for _, c := range []struct {
		listen  string
		exposed bool
		refused bool
	}{
		{listen: "127.0.0.1:8080"}, {listen: "localhost:8080"}, {listen: "[::1]:8080"},
		{listen: "0.0.0.0:8080", refused: true}, {listen: ":8080", refused: true}, {listen: "10.1.2.3:8080", refused: true},
		{listen: "0.0.0.0:8080", exposed: true},
	} {
		err := (&ServeCmd{Dev: true, Listen: c.listen, DevExposed: c.exposed}).checkDev()
		require.Equal(t, c.refused, err != nil, "%s: %v", c.listen, err)
	}
	require.NoError(t, (&ServeCmd{Listen: "0.0.0.0:8080"}).checkDev(), "without --dev")
}
