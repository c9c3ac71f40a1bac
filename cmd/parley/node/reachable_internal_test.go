//go:build !apache

package node

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAListenerOfAllAddressesIsReachedOnThisMachine(t *testing.T) {
	for listener, want := range map[string]string{
		"127.0.0.1:8080": "127.0.0.1:8080",
		"0.0.0.0:8080":   "127.0.0.1:8080",
		"[::]:8080":      "127.0.0.1:8080",
		"10.1.2.3:80":    "10.1.2.3:80",
		"[fd00::1]:80":   "[fd00::1]:80",
	} {
		require.Equal(t, want, reachable(listener))
	}
}
