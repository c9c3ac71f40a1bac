package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/cmd/parley/settings"
)

// patience bounds every wait for something that must happen. It is long because a
// machine that also runs other tests is slow, not because Parley is.
const patience = 2 * time.Minute

var build struct {
	sync.Once
	binary string
	err    error
}

func TestMain(m *testing.M) {
	go sayWhatIsStuck()
	code := m.Run()
	if build.binary != "" {
		_ = os.RemoveAll(filepath.Dir(build.binary))
	}
	os.Exit(code)
}

// binary builds the command once for all tests that run it as users do.
func binary(t *testing.T) string {
	t.Helper()
	childtest.Integration(t)
	build.Do(func() {
		dir, err := os.MkdirTemp("", "parley-binary-")
		if err != nil {
			build.err = err
			return
		}
		build.binary = filepath.Join(dir, "parley")
		if out, err := exec.Command("go", "build", "-o", build.binary, ".").CombinedOutput(); err != nil {
			build.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	require.NoError(t, build.err, "building the command")
	return build.binary
}

// process is a `parley serve` that a test may kill.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	data  string
	url   string
	out   *output // standard output and error
	ended chan struct{}
	http  *http.Client
}

// output collects what a process says; the process writes while the test reads.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// tail is the end of what was said, for the message of a failure.
func (o *output) tail() string {
	text := o.String()
	return text[max(0, len(text)-6000):]
}

// linesWith are the lines of its log that have a word, for the message of a failure.
func (o *output) linesWith(word string) string {
	var lines []string
	for line := range strings.Lines(o.String()) {
		if strings.Contains(line, word) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// dataFolder is a folder for a node. When the test ends, no server may be left in it.
func dataFolder(t *testing.T) string {
	t.Helper()
	binary(t) // skips
	dir := embeddedtest.DataFolder(t)
	t.Cleanup(func() { assertNoOrphans(t, dir) })
	return dir
}

// spawn starts a node and does not wait for it. It is killed when the test ends.
func spawn(t *testing.T, data, listen string, args ...string) *process {
	t.Helper()
	p := &process{t: t, data: data, url: "http://" + listen, out: &output{}, ended: make(chan struct{}),
		http: &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	p.cmd = exec.Command(binary(t), append([]string{"serve", "--data", data, "--listen", listen, "--rate", "1000000",
		"--call-drain", "0s"}, args...)...)
	p.cmd.Env = clean(os.Environ())
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.out
	require.NoError(t, p.cmd.Start())
	go func() {
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(p.kill)
	return p
}

// ofDev are settings of a dev.env that commands read.
var ofDev = []string{"ACCOUNT_ID", "BOT_ID", "SCOPE_ID", "CALLER", "NOTIFY_URL", "CHANNEL_RECORDER_URL"}

// clean leaves out the settings of whoever runs the tests.
func clean(environment []string) []string {
	var kept []string
	for _, kv := range environment {
		if name, _, _ := strings.Cut(kv, "="); !strings.HasPrefix(name, "PARLEY_") && !slices.Contains(ofDev, name) {
			kept = append(kept, kv)
		}
	}
	return kept
}

// serve starts a node and waits until it is ready.
func serve(t *testing.T, data, listen string, args ...string) *process {
	t.Helper()
	p := spawn(t, data, listen, args...)
	p.awaitReady()
	return p
}

// serveDev is serve with the example workspace, which is there when it returns, and
// calls that are twenty times faster than life.
func serveDev(t *testing.T, data, listen string, args ...string) *process {
	t.Helper()
	p := spawn(t, data, listen, append([]string{"--dev", "--sim-speed", "20"}, args...)...)
	p.await("the greeting of --dev", func() bool { return strings.Contains(p.out.String(), "Parley is up: ") })
	p.awaitReady()
	return p
}

func (p *process) awaitReady() {
	p.t.Helper()
	p.await("/readyz to say yes", func() bool { return p.readyz() == http.StatusOK })
}

// readyz is the status of the health check, 0 if nobody answers.
func (p *process) readyz() int {
	res, err := p.http.Get(p.url + "/readyz")
	if err != nil {
		return 0
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// await waits for a condition, and fails at once if the process ends before.
func (p *process) await(what string, met func() bool) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); ; <-time.After(10 * time.Millisecond) {
		if met() {
			return
		}
		select {
		case <-p.ended:
			p.t.Fatalf("waiting for %s: the process ended, %s, saying:\n%s", what, p.cmd.ProcessState, p.out.tail())
		default:
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("waiting for %s: it did not come in %s; the process says:\n%s", what, patience, p.out.tail())
		}
	}
}

// kill is kill -9. On a process that has ended it does nothing.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// terminate asks for an orderly end; exit waits for it and returns the exit code.
func (p *process) terminate() { require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGTERM)) }

func (p *process) exit(within time.Duration) int {
	p.t.Helper()
	select {
	case <-p.ended:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(within):
		p.t.Fatalf("the process did not end within %s; it says:\n%s", within, p.out.tail())
		return -1
	}
}

// environment reads the dev.env of a folder.
func environment(t *testing.T, data string) map[string]string {
	t.Helper()
	env, err := settings.Read(filepath.Join(data, settings.File))
	require.NoError(t, err)
	require.NotEmpty(t, env["PARLEY_TOKEN"])
	return env
}

// freeAddress is a loopback address that nobody else is given, so that it is still free when a
// node comes back for it.
func freeAddress(t *testing.T) string {
	t.Helper()
	return net.JoinHostPort(siptest.Host, strconv.Itoa(siptest.FreePort(t)))
}

// assertNoOrphans fails the test if a server of the data folder outlives it, and
// ends what it finds by its own number.
func assertNoOrphans(t *testing.T, data string) {
	cluster, err := filepath.EvalSymlinks(filepath.Join(data, "postgres", "cluster"))
	if err != nil {
		return // no embedded server
	}
	none := func() bool { return len(processesAt(cluster)) == 0 }
	if assert.Eventually(t, none, patience, 20*time.Millisecond, "servers are left in %s", cluster) {
		return
	}
	for _, pid := range processesAt(cluster) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// processesAt lists the processes whose current folder is dir: a server works in
// its cluster.
func processesAt(dir string) (pids []int) {
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		if at, err := os.Readlink(link); err == nil && at == dir {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}
