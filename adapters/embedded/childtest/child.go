// Package childtest runs a test's own binary again as a child that may be killed: told by
// a variable of its environment which role to play, in which folder.
package childtest

import (
	"bufio"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	roleVariable   = "PARLEY_TEST_ROLE"
	folderVariable = "PARLEY_TEST_FOLDER"
)

// Roles are what a child can do, by name. A role ends with an error, or when it is killed.
type Roles map[string]func(dir string) error

// Main is the TestMain of a package whose tests start children.
func Main(m *testing.M, roles Roles) {
	if role, ok := roles[os.Getenv(roleVariable)]; ok {
		if err := role(os.Getenv(folderVariable)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Child is a process that plays a role and says on standard output what it did.
type Child struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

// Start begins a child that plays the role; it is killed when the test ends.
func Start(t *testing.T, role, dir string) *Child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role, folderVariable+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	c := &Child{cmd: cmd, lines: bufio.NewScanner(out)}
	t.Cleanup(func() { c.Kill9() })
	return c
}

// Said reads lines until n of them were said, or the child ended.
func (c *Child) Said(n int) (lines []string) {
	for len(lines) < n && c.lines.Scan() {
		lines = append(lines, strings.TrimSpace(c.lines.Text()))
	}
	return lines
}

// Process is the child as the operating system knows it.
func (c *Child) Process() *os.Process { return c.cmd.Process }

// Kill9 kills the child and returns what it had said and nobody had read: it was
// Said before the kill, so it holds.
func (c *Child) Kill9() (rest []string) {
	_ = c.cmd.Process.Kill()
	for c.lines.Scan() {
		rest = append(rest, strings.TrimSpace(c.lines.Text()))
	}
	_ = c.cmd.Wait()
	return rest
}

// Integration skips the test under `go test -short` (make check): what needs a broker or a
// database is an integration test.
func Integration(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("an integration test: not with -short")
	}
}

// Log writes where the test does.
func Log(t *testing.T) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), nil))
}
