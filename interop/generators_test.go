//go:build interop

package interop

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What else users make clients with: the code compiles as it comes, with nothing changed by
// hand. openapi-typescript, openapi-python-client and oapi-codegen are used in
// clients_test.go, where their clients make calls.
func TestHeyAPIClientCompiles(t *testing.T) {
	t.Parallel()
	installed, err := npm()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(dir, "node_modules")))
	document := alone(t, dir)
	job{dir: dir}.run(t, npmProgram(t, "openapi-ts"), "-i", document, "-o", "client", "-c", "@hey-api/client-fetch")
	write(t, dir, "tsconfig.json", `{"compilerOptions":{"strict":true,"noEmit":true,"module":"esnext","moduleResolution":"bundler",
		"target":"es2022","lib":["es2022","dom","dom.iterable"],"types":[]},"include":["client/**/*.ts"]}`)
	job{dir: dir}.run(t, npmProgram(t, "tsc"))
	sdk, err := os.ReadFile(filepath.Join(dir, "client", "sdk.gen.ts"))
	require.NoError(t, err)
	require.Contains(t, string(sdk), "export const dialOut = ")
}

func TestJavaClientCompiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, err := job{dir: dir}.try("mvn", "--batch-mode", "--quiet", "--file", filepath.Join(repository, "interop", "tools", "java", "pom.xml"),
		"-Ddocument="+alone(t, dir), "-DbuildDirectory="+dir, "compile")
	require.NoError(t, err, "%s\nIf Maven could not fetch what interop/tools/java/pom.xml names: with its repository in reach, run `make "+
		"interop` once", out)
	made, err := filepath.Glob(filepath.Join(dir, "classes", "org", "openapitools", "client", "*", "OutboundCallsApi.class"))
	require.NoError(t, err)
	require.Len(t, made, 1)
}

// alone is the document in a folder without anything else of ours, as who fetched it has it.
func alone(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, "docs", "openapi.json"))
	require.NoError(t, err)
	write(t, dir, "openapi.json", string(text))
	return filepath.Join(dir, "openapi.json")
}
