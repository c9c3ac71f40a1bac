//go:build interop

package interop

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// installed is the folder .tools/interop/NAME, filled by make when the file that pins its
// contents is another than at the last time.
func installed(name, pinned string, make func(dir string) error) (string, error) {
	dir, wanted := filepath.Join(repository, ".tools", "interop", name), filepath.Join(repository, "interop", "tools", pinned)
	want, err := os.ReadFile(wanted)
	if err != nil {
		return "", err
	}
	mark := filepath.Join(dir, ".installed")
	if have, err := os.ReadFile(mark); err == nil && bytes.Equal(have, want) {
		return dir, nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	fmt.Fprintf(os.Stderr, "interop: installing what %s names into .tools/interop/%s\n", wanted, name)
	if err := make(dir); err != nil {
		return "", fmt.Errorf("%s names programs that this machine has not yet, and their registry did not give them: %w\n"+
			"With the registry in reach, run `make interop` once; .tools/interop keeps them", wanted, err)
	}
	return dir, os.WriteFile(mark, want, 0o644)
}

// npm holds the programs of tools/package.json.
var npm = sync.OnceValues(func() (string, error) { return pinned("npm", "package-lock.json") })

// venv holds the programs of tools/requirements.txt.
var venv = sync.OnceValues(func() (string, error) { return pinned("venv", "requirements.txt") })

// pinned is the folder .tools/interop/KIND with what a file of tools pins.
func pinned(kind, pin string) (string, error) {
	dir := filepath.Join(repository, ".tools", "interop", kind)
	return dir, quietly(repository, "scripts/pinned.sh", kind, dir, filepath.Join("interop", "tools", pin))
}

func quietly(dir, program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, out)
	}
	return nil
}

// job is a program of others, and how it is run.
type job struct {
	dir string   // where; the repository when empty
	env []string // its whole environment; ours when empty
	in  string   // standard input
}

// run runs a program, which must end well, and gives what it printed.
func (j job) run(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := j.try(program, args...)
	require.NoError(t, err, "%s %s\n%s", program, strings.Join(args, " "), out)
	return out
}

// try runs a program and gives what it printed, standard output and error.
func (j job) try(program string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = j.dir, j.env, strings.NewReader(j.in)
	if j.dir == "" {
		cmd.Dir = repository
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// npmProgram is a program of tools/package.json.
func npmProgram(t *testing.T, name string) string {
	t.Helper()
	dir, err := npm()
	require.NoError(t, err)
	return filepath.Join(dir, "node_modules", ".bin", name)
}

// pythonProgram is a program of tools/requirements.txt.
func pythonProgram(t *testing.T, name string) string {
	t.Helper()
	dir, err := venv()
	require.NoError(t, err)
	return filepath.Join(dir, "bin", name)
}
