//go:build interop

package interop

import (
	"os"
	"testing"
)

// The committed document holds before the rules that most users check documents with.
func TestOpenAPIPassesTheLinters(t *testing.T) {
	j := job{env: append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")}
	t.Run("redocly", func(t *testing.T) {
		j.run(t, npmProgram(t, "redocly"), "lint", "docs/openapi.json")
	})
	t.Run("spectral", func(t *testing.T) {
		j.run(t, npmProgram(t, "spectral"), "lint", "docs/openapi.json", "-r", ".spectral.yaml", "--fail-severity=warn")
	})
}
