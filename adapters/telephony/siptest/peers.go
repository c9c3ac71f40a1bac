// Package siptest starts the programs that tests call: scripted callees, a soft phone, a proxy. It knows
// nothing of who calls them.
package siptest

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
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Host is where all of them are.
const Host = "127.0.0.1"

// patience is how long a test waits for what must happen: other tests use the machine too.
const patience = 2 * time.Minute

// Peer is a program that nobody here wrote.
type Peer struct {
	t    testing.TB
	name string
	cmd  *exec.Cmd
	Dir  string
	Port int
	out  safeBuffer
	end  chan error
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// Need fails a test on a machine that lacks a program, and says what to do.
func Need(t testing.TB, program, pack string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		for _, dir := range []string{"/usr/sbin/", "/usr/local/sbin/"} { // those of administrators
			if _, err := os.Stat(dir + program); err == nil {
				return dir + program
			}
		}
	}
	require.NoError(t, err, "%s is not on this machine: scripts/prerequisites.sh voice installs it (Debian's package %s)", program, pack)
	return path
}

func start(t testing.TB, dir, program string, args ...string) *Peer {
	t.Helper()
	p := &Peer{t: t, name: filepath.Base(program), Dir: dir, cmd: exec.Command(program, args...), end: make(chan error, 1)}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, &p.out, &p.out
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // with the processes that it starts
	require.NoError(t, p.cmd.Start())
	go func() { p.end <- p.cmd.Wait() }()
	t.Cleanup(p.Kill)
	return p
}

// Kill ends it at once.
func (p *Peer) Kill() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	select {
	case err := <-p.end:
		p.end <- err
	case <-time.After(patience):
	}
}

// Satisfied waits for its end, and fails if it did not see what it was to see.
func (p *Peer) Satisfied() {
	p.t.Helper()
	select {
	case err := <-p.end:
		p.end <- err
		require.NoError(p.t, err, "%s was not satisfied: %s", p.name, p.Complaints())
	case <-time.After(patience):
		require.Fail(p.t, p.name+" did not end", p.Complaints())
	}
}

// Output is what it has written.
func (p *Peer) Output() string { return p.out.String() }

// Complaints are what it says of its errors, and its last lines.
func (p *Peer) Complaints() string {
	files, _ := filepath.Glob(filepath.Join(p.Dir, "*_errors.log"))
	var s string
	for _, f := range files {
		b, _ := os.ReadFile(f)
		s += string(b)
	}
	lines := strings.Split(strings.TrimSpace(p.out.String()), "\n")
	return s + "\n" + strings.Join(lines[max(0, len(lines)-5):], "\n")
}

// FreePort is one that is free for UDP and TCP, and the one above it too. It is below the ports that the system
// gives outgoing connections: one of these could have it before who is to listen there has. No test of this machine is given it
// again, in whichever process, while this one runs: who has it may go away, and come back to it.
func FreePort(t testing.TB) int {
	t.Helper()
	for range 1000 {
		if port := 10_000 + 4*rand.IntN(2_500); reserve(t, port) && free(port) && free(port+1) {
			return port
		}
	}
	require.Fail(t, "no port is free")
	return 0
}

var reserved sync.Map // the files that are locked, by port: one that is forgotten is closed

// reserve takes a port for this process, once: nobody else even looks whether it is free, which is to have it for a moment.
func reserve(t testing.TB, port int) bool {
	t.Helper()
	dir := filepath.Join(os.TempDir(), fmt.Sprint("parley-ports-", os.Getuid()))
	require.NoError(t, os.MkdirAll(dir, 0o700))
	f, err := os.OpenFile(filepath.Join(dir, strconv.Itoa(port)), os.O_CREATE|os.O_RDWR, 0o600)
	require.NoError(t, err)
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		_ = f.Close()
		return false
	}
	reserved.Store(port, f)
	return true
}

func free(port int) bool {
	at := net.JoinHostPort(Host, strconv.Itoa(port))
	u, err := net.ListenPacket("udp", at)
	if err != nil {
		return false
	}
	_ = u.Close()
	l, err := net.Listen("tcp", at)
	if err != nil {
		return false
	}
	_ = l.Close()
	return true
}

// held looks whether somebody has the port. It tries nothing there: a peer that comes at that
// moment would find the port in use.
func held(port int) bool {
	local := fmt.Sprintf(":%04X", port)
	for _, kind := range []string{"udp", "tcp", "udp6", "tcp6"} {
		sockets, _ := os.ReadFile("/proc/net/" + kind)
		for line := range strings.Lines(string(sockets)) {
			if columns := strings.Fields(line); len(columns) > 1 && strings.HasSuffix(columns[1], local) {
				return true
			}
		}
	}
	return false
}

// SIPp runs a scenario as a callee, until it has had so many calls.
func SIPp(t testing.TB, scenario string, calls int, more ...string) *Peer {
	t.Helper()
	p := plays(t, scenario, calls, more...)
	p.listens()
	return p
}

// plays runs a scenario. A caller's may be over before anybody looks whether it listens.
func plays(t testing.TB, scenario string, calls int, more ...string) *Peer {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "s.xml"), []byte(scenario), 0o600))
	port, media := FreePort(t), FreePort(t)
	args := append([]string{"-sf", "s.xml", "-i", Host, "-p", strconv.Itoa(port), "-mi", Host, "-mp", strconv.Itoa(media),
		"-m", strconv.Itoa(calls), "-nostdin", "-trace_err", "-timeout", "1800", "-timeout_error"}, more...)
	p := start(t, dir, Need(t, "sipp", "sip-tester"), args...)
	p.Port = port
	return p
}

// listens waits until somebody has the port.
func (p *Peer) listens() {
	p.t.Helper()
	require.Eventually(p.t, func() bool { return held(p.Port) }, patience, 10*time.Millisecond, "%s does not listen", p.name)
}
