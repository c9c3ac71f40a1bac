//go:build interop

package interop

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// clientTools is .tools/clients: npm and venv, as the clients pin what makes and tests them.
var clientTools = sync.OnceValues(func() (string, error) {
	return filepath.Join(repository, ".tools", "clients"), quietly(repository, "scripts/clients.sh", "--install")
})

func toolsOfClients(t *testing.T) string {
	t.Helper()
	dir, err := clientTools()
	require.NoError(t, err)
	return dir
}

// written holds whole clients, as scripts/clients.sh writes them now.
var written = sync.OnceValues(func() (string, error) {
	if _, err := clientTools(); err != nil {
		return "", err
	}
	dir := filepath.Join(scratch, "clients")
	return dir, quietly(repository, "scripts/clients.sh", "--into", dir)
})

func writtenClients(t *testing.T) string {
	t.Helper()
	dir, err := written()
	require.NoError(t, err)
	return dir
}

// Given the committed clients, when they are written once more, into another folder, then
// not a byte is another: they are of today's document, and it does not matter who writes.
func TestClientsEqualTheDocument(t *testing.T) {
	t.Parallel()
	fresh := contents(t, writtenClients(t))
	committed := map[string][]byte{}
	for _, name := range strings.Split(strings.TrimSpace(job{}.run(t, "git", "ls-files", "clients/typescript", "clients/python")), "\n") {
		text, err := os.ReadFile(filepath.Join(repository, name))
		require.NoError(t, err)
		committed[strings.TrimPrefix(name, "clients/")] = text
	}
	require.Greater(t, len(committed), 300)
	for name, text := range committed {
		assert.True(t, bytes.Equal(text, fresh[name]), "clients/%s differs from what the document gives: run make clients", name)
	}
	for name := range fresh {
		_, known := committed[name]
		assert.True(t, known, "the document gives clients/%s: run make clients, and add it", name)
	}
	for name, text := range committed {
		assert.NotRegexp(t, `"resolved":|registry\.`, string(text), "%s names a registry", name)
	}
}

// contents are the files below a folder that are no leavings of builds and tests.
func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out, left := map[string][]byte{}, []string{"node_modules", "dist", ".test", "__pycache__", ".mypy_cache"}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case slices.Contains(left, d.Name()):
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		out[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	}))
	return out
}

// The tests of each client talk to the server; they are those that its package has.
func TestTypeScriptClientWorks(t *testing.T) {
	t.Parallel()
	s, dir := server(t), typeScriptClient(t)
	testTypeScript(t, s, dir)
	for _, page := range []string{"clients/typescript/README.md", "docs/how-to/use-a-client.md"} {
		t.Log(page + "\n" + typeScript(t, s, dir, strings.Join(programs(t, page, "ts"), "\n")))
	}
}

// built is the TypeScript client, it and its tests compiled, with its dependencies.
var built = sync.OnceValues(func() (string, error) {
	from, err := written()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(scratch, "typescript")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(from, "typescript"))); err != nil {
		return "", err
	}
	if err := os.Symlink(filepath.Join(repository, ".tools", "clients", "npm", "node_modules"),
		filepath.Join(dir, "node_modules")); err != nil {
		return "", err
	}
	tsc := filepath.Join("node_modules", ".bin", "tsc")
	return dir, errors.Join(quietly(dir, tsc, "-p", "tsconfig.json"), quietly(dir, tsc, "-p", "tsconfig.test.json"))
})

func typeScriptClient(t *testing.T) string {
	t.Helper()
	dir, err := built()
	require.NoError(t, err)
	return dir
}

func testTypeScript(t *testing.T, s Server, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, ".test", "test", "*.test.js"))
	require.NoError(t, err)
	out := job{dir: dir, env: s.environ()}.run(t, "node", append([]string{"--test"}, files...)...)
	require.Regexp(t, `# pass [0-9]{2}`, out)
	require.Contains(t, out, "# fail 0")
}

// typeScript compiles a program that imports the built client as a package, and runs it.
func typeScript(t *testing.T, s Server, client, program string) string {
	t.Helper()
	dir := t.TempDir()
	modules := filepath.Join(dir, "node_modules")
	require.NoError(t, os.MkdirAll(filepath.Join(modules, "@parley-platform"), 0o755))
	require.NoError(t, os.Symlink(client, filepath.Join(modules, "@parley-platform", "client")))
	require.NoError(t, os.Symlink(filepath.Join(toolsOfClients(t), "npm", "node_modules", "@types"), filepath.Join(modules, "@types")))
	write(t, dir, "package.json", `{"type":"module"}`)
	write(t, dir, "program.ts", program)
	write(t, dir, "tsconfig.json", `{"compilerOptions":{"target":"es2022","lib":["es2022","dom","dom.iterable","dom.asynciterable"],
		"module":"nodenext","strict":true,"skipLibCheck":false,"types":["node"]},"files":["program.ts"]}`)
	job{dir: dir}.run(t, filepath.Join(toolsOfClients(t), "npm", "node_modules", ".bin", "tsc"))
	return job{dir: dir, env: s.environ()}.run(t, "node", "program.js")
}

func TestPythonClientWorks(t *testing.T) {
	t.Parallel()
	s, dir := server(t), filepath.Join(t.TempDir(), "client")
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(writtenClients(t), "python"))))
	python := filepath.Join(toolsOfClients(t), "venv", "bin", "python")
	j := job{dir: dir, env: s.environ()}
	out := j.run(t, python, "-W", "error::ResourceWarning", "-m", "unittest", "discover", "-t", ".", "-s", "tests")
	require.Regexp(t, `Ran [0-9]{2} tests`, out)
	j.run(t, python, "-m", "mypy", "--strict", "--no-incremental", "parley")
	for _, page := range []string{"clients/python/README.md", "docs/how-to/use-a-client.md"} {
		t.Log(page + "\n" + j.run(t, python, "-c", strings.Join(programs(t, page, "python"), "\n")))
	}
}

// The Go client is made by oapi-codegen, in a module of its own.
func TestGoClientWorks(t *testing.T) {
	t.Parallel()
	s, dir := server(t), filepath.Join(t.TempDir(), "goclient")
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(repository, "interop", "goclient"))))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "parley"), 0o755))
	j := job{dir: dir, env: s.environ("GOFLAGS=-mod=readonly -trimpath")}
	out, err := j.try("go", "mod", "download")
	require.NoError(t, err, "interop/goclient/go.sum names modules that the module proxy did not give: %s\nWith it in reach, run `make "+
		"interop` once", out)
	j.run(t, "go", "tool", "oapi-codegen", "-package", "parley", "-generate", "types,client", "-o", "parley/parley.go",
		filepath.Join(repository, "docs", "openapi.json"))
	require.Contains(t, j.run(t, "go", "run", "."), "all answers were right")
	shown := programs(t, "docs/how-to/use-a-client.md", "go")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "shown"), 0o755))
	write(t, dir, filepath.Join("shown", "main.go"), strings.Join(shown, "\n"))
	t.Log(j.run(t, "go", "run", "./shown"))
}

// programs are the blocks of a language on a page of the documents, in their order.
func programs(t *testing.T, page, language string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, page))
	require.NoError(t, err)
	var out []string
	for _, block := range regexp.MustCompile(fmt.Sprintf("(?s)```%s\n(.*?)```", language)).FindAllStringSubmatch(string(text), -1) {
		out = append(out, block[1])
	}
	require.NotEmpty(t, out, "%s shows no %s", page, language)
	return out
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}
