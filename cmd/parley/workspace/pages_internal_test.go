package workspace

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Given the address of a node, then these are the origins of its own pages, as keys take them.
func TestOriginsOfANode(t *testing.T) {
	for address, want := range map[string][]string{
		"http://127.0.0.1:9090":              {"http://127.0.0.1:9090", "http://localhost:9090"},
		"http://localhost:9090":              {"http://localhost:9090", "http://127.0.0.1:9090"},
		"http://[::1]:9090":                  {"http://[::1]:9090"},
		"https://Parley.example:443/behind/": {"https://parley.example"},
		"nothing":                            nil,
	} {
		got, err := originsOf(address)
		require.NoError(t, err)
		require.Equal(t, want, got, address)
	}
}
