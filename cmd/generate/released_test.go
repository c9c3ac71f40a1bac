package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Clients of the last released version are in use (docs/decisions/2026-11-23-clients.md): what
// they were made of is in clients/released and holds, however many changes there were since.
func TestTheAPIOfTheLastReleaseHolds(t *testing.T) {
	last, now := lastReleased(t), read(t, filepath.Join("..", "..", openAPIFile))
	broken, err := openAPIChanges(last, now)
	require.NoError(t, err)
	require.Empty(t, broken, "callers of the last release would break: keep what they use, or release another version")

	for change, c := range map[string]struct{ was, is string }{
		"a member of an answer has another name": {`"callId": {`, `"call_id": {`},
		"an operation is elsewhere":              {`/assist/dialout/{callId}": {`, `/assist/calls/{callId}": {`},
		"a header is required now":               {`"name": "Idempotency-Key",`, `"name": "Idempotency-Key", "required": true,`},
	} {
		t.Run(change, func(t *testing.T) {
			require.Contains(t, string(now), c.was)
			broken, err := openAPIChanges(last, []byte(strings.Replace(string(now), c.was, c.is, 1)))
			require.NoError(t, err)
			require.NotEmpty(t, broken)
		})
	}
}

// lastReleased is the document of the newest version that was released.
func lastReleased(t *testing.T) []byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "clients", "released", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return read(t, slices.MaxFunc(files, func(a, b string) int { return slices.Compare(numbers(t, a), numbers(t, b)) }))
}

func numbers(t *testing.T, file string) []int {
	t.Helper()
	out := make([]int, 3)
	_, err := fmt.Sscanf(filepath.Base(file), "%d.%d.%d.json", &out[0], &out[1], &out[2])
	require.NoError(t, err, file)
	return out
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return text
}
