package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/parley-platform/parley/"

func root(path string) string { return filepath.Join("..", path) }

func document(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(root(path))
	require.NoError(t, err)
	return string(data)
}

// tracked lists the files of the repository that fit the patterns, with those that are
// new and not committed yet, and without those that are removed.
func tracked(t *testing.T, patterns ...string) []string {
	t.Helper()
	args := append([]string{"-C", root("."), "ls-files", "--cached", "--others", "--exclude-standard"}, patterns...)
	out, err := exec.Command("git", args...).Output()
	require.NoError(t, err)
	files := slices.DeleteFunc(strings.Fields(string(out)), func(f string) bool {
		_, err := os.Stat(root(f))
		return err != nil
	})
	require.NotEmpty(t, files)
	slices.Sort(files)
	return slices.Compact(files)
}

// source is one file of code, which a test is not.
type source struct {
	folder string // from the root of the repository
	file   string
	tree   *ast.File
}

var parsed struct {
	sync.Once
	all []source
	err error
}

// code lists the files of code, of every platform and with every build tag.
func code(t *testing.T) []source {
	t.Helper()
	parsed.Do(func() {
		for _, file := range tracked(t, "*.go") {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), root(file), nil, parser.SkipObjectResolution)
			if err != nil {
				parsed.err = err
				return
			}
			parsed.all = append(parsed.all, source{path.Dir(file), file, tree})
		}
	})
	require.NoError(t, parsed.err)
	return parsed.all
}

// ours are the packages of this module that the file imports, by the name they have in it.
func (s source) ours() map[string]string {
	out := map[string]string{}
	for _, i := range s.tree.Imports {
		full, err := strconv.Unquote(i.Path.Value)
		folder, is := strings.CutPrefix(full, module)
		if err != nil || !is {
			continue
		}
		name := path.Base(folder)
		if i.Name != nil {
			name = i.Name.Name
		}
		out[name] = folder
	}
	return out
}

// folders are the folders of code, each with its files.
func folders(t *testing.T) map[string][]source {
	t.Helper()
	out := map[string][]source{}
	for _, s := range code(t) {
		out[s.folder] = append(out[s.folder], s)
	}
	return out
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
