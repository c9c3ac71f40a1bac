//go:build interop

package interop

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience bounds every wait for something that must happen.
const patience = 3 * time.Minute

// repository is the root of the project.
var repository = func() string {
	dir, err := filepath.Abs("..")
	if err != nil {
		panic(err)
	}
	return dir
}()

// ports are those that were tried last, from below those that the system gives to connections: what listens may come late, when a
// connection would have had it.
var ports = func() *atomic.Int32 {
	from := new(atomic.Int32)
	from.Store(20_000 + rand.Int32N(5_000))
	return from
}()

// free is a port of this machine that nobody has.
func free() string {
	for {
		port := strconv.Itoa(int(ports.Add(1)))
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			_ = l.Close()
			return port
		}
	}
}

// scratch is removed when the tests are over; what is started runs in it.
var scratch string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if scratch, err = os.MkdirTemp("", "parley-interop-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	// Postgres runs as a user of its own when we are root.
	if err = os.Chmod(scratch, 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	defer stopAll()
	return m.Run()
}

// Binary is the built command.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "parley")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=auto", "-o", path, "./cmd/parley")
	build.Dir = repository
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the command: %w\n%s", err, out)
	}
	return path, nil
})

// Server is a running `parley serve --dev` as its users have it.
type Server struct {
	URL  string            // of the API, without a slash at its end
	Data string            // its data folder
	Env  map[string]string // what dev.env holds
}

// environ is the environment of a program that uses the server: ours, dev.env, and where scripts find what they
// have in common.
func (s Server) environ(more ...string) []string {
	out := append(os.Environ(), "PYTHONPATH="+filepath.Join(repository, "interop", "world"), "PYTHONDONTWRITEBYTECODE=1")
	for name, value := range s.Env {
		out = append(out, name+"="+value)
	}
	return append(out, more...)
}

// shared is the one server that tests use together. They make what they look at, and do
// not count what others make.
var shared = sync.OnceValues(func() (Server, error) { return start("shared") })

func server(t *testing.T) Server {
	t.Helper()
	s, err := shared()
	require.NoError(t, err)
	return s
}

var (
	starting sync.Mutex
	started  []*exec.Cmd
)

// endsWithTests has a program that runs stopped when the tests are over.
func endsWithTests(cmd *exec.Cmd) {
	starting.Lock()
	defer starting.Unlock()
	started = append(started, cmd)
}

func stopAll() {
	for _, cmd := range started {
		_ = cmd.Process.Signal(syscall.SIGTERM)
	}
	for _, cmd := range started {
		_ = cmd.Wait()
	}
}

// start starts a server of that name, with more flags, and returns when it serves. It ends
// with the tests.
func start(name string, flags ...string) (Server, error) { return startWith(nil, name, flags...) }

// startWith is start with more in its environment.
func startWith(env []string, name string, flags ...string) (Server, error) {
	program, err := binary()
	if err != nil {
		return Server{}, err
	}
	s := Server{Data: filepath.Join(scratch, name)}
	var out bytes.Buffer
	flags = append([]string{"serve", "--dev", "--data", s.Data, "--listen", "127.0.0.1:0", "--sim-speed", "100", "--rate", "100000"}, flags...)
	cmd := exec.Command(program, flags...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return Server{}, err
	}
	endsWithTests(cmd)
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if s.Env, err = settings(filepath.Join(s.Data, "dev.env")); err == nil {
			s.URL = strings.TrimSuffix(s.Env["PARLEY_URL"], "/")
			return s, nil
		}
		if time.Now().After(deadline) {
			return Server{}, fmt.Errorf("the server %s was not ready after %s: %w\n%s", name, patience, err, out.String())
		}
	}
}

// settings reads NAME='value' lines as a shell would.
func settings(file string) (map[string]string, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, err
	}
	out, err := exec.Command("env", "-i", "sh", "-c", `set -a; . "$1"; env -0`, "sh", file).Output()
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	found := map[string]string{}
	for _, line := range strings.Split(string(out), "\x00") {
		if name, value, ok := strings.Cut(line, "="); ok && name != "PWD" && name != "_" && name != "OLDPWD" && name != "SHLVL" {
			found[name] = value
		}
	}
	if found["PARLEY_URL"] == "" {
		return nil, fmt.Errorf("%s is not whole", file)
	}
	return found, nil
}
