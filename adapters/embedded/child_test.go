package embedded

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

// The tests of this package kill processes, so some of them run again inside a
// child: the same test binary, told by this variable which role to play.
const (
	roleVariable   = "PARLEY_TEST_ROLE"
	folderVariable = "PARLEY_TEST_FOLDER"
)

var roles = map[string]func(dir string) error{
	"hold the lock":   holdLock,
	"produce":         produceUntilKilled,
	"fill and wait":   fillAndWait,
	"fill and stop":   fillAndStop,
	"write to tables": writeUntilKilled,
	"load Postgres":   loadUntilKilled,
}

func TestMain(m *testing.M) {
	if role, ok := roles[os.Getenv(roleVariable)]; ok {
		if err := role(os.Getenv(folderVariable)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child is a process that plays a role and says on standard output what it did.
type child struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func startChild(t *testing.T, role, dir string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role, folderVariable+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	c := &child{cmd: cmd, lines: bufio.NewScanner(out)}
	t.Cleanup(func() { c.kill9() })
	return c
}

// said reads lines until n of them were said, or the child ended.
func (c *child) said(n int) (lines []string) {
	for len(lines) < n && c.lines.Scan() {
		lines = append(lines, strings.TrimSpace(c.lines.Text()))
	}
	return lines
}

// kill9 kills the child and returns what it had said and nobody had read: it was
// said before the kill, so it holds.
func (c *child) kill9() (rest []string) {
	_ = c.cmd.Process.Kill()
	for c.lines.Scan() {
		rest = append(rest, strings.TrimSpace(c.lines.Text()))
	}
	_ = c.cmd.Wait()
	return rest
}

// integration skips the test under `go test -short`.
func integration(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("an integration test: not with -short")
	}
}

func testLog(t *testing.T) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), nil))
}
