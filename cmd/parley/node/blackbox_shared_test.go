package node_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/parley-platform/parley/adapters/codetool"
	"github.com/parley-platform/parley/adapters/embedded/childtest"
)

// suite is a testing.TB that lives as long as the test process, for what tests share.
type suite struct {
	testing.TB // nil: only what is below may be used
	mu         sync.Mutex
	cleanups   []func()
	dirs       atomic.Int64
	root       string
}

func (s *suite) Helper()                   {}
func (s *suite) Fatal(args ...any)         { panic(fmt.Sprint(args...)) }
func (s *suite) Error(args ...any)         { fmt.Fprintln(os.Stderr, args...) }
func (s *suite) Errorf(f string, a ...any) { fmt.Fprintf(os.Stderr, f+"\n", a...) }
func (s *suite) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }
func (s *suite) FailNow()                  { panic("the shared nodes did not start") }
func (s *suite) Name() string              { return "shared" }

func (s *suite) Cleanup(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cleanups = append(s.cleanups, f)
}

func (s *suite) TempDir() string {
	dir := filepath.Join(s.root, fmt.Sprint(s.dirs.Add(1)))
	if err := os.Mkdir(dir, 0o755); err != nil {
		panic(err)
	}
	return dir
}

func (s *suite) end() {
	for i := len(s.cleanups) - 1; i >= 0; i-- {
		s.cleanups[i]()
	}
	_ = os.RemoveAll(s.root)
}

var process = &suite{}

var sharedCluster = sync.OnceValue(func() *cluster {
	root, err := os.MkdirTemp("", "parley-nodes-")
	if err != nil {
		panic(err)
	}
	process.root = root
	c := newCluster(process)
	c.a = c.start(process)
	c.b = c.start(process)
	return c
})

// shared is the cluster of two nodes that tests share; each has tenants of its own
// there, so that they can run side by side.
func shared(t *testing.T) *cluster {
	t.Helper()
	childtest.Integration(t)
	return sharedCluster()
}

// both are the shared nodes, by name, for tests that must hold on either.
func (c *cluster) both() map[string]*server { return map[string]*server{"a": c.a, "b": c.b} }

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == codetool.Asking { // the nodes of tests start this binary for the code of tools
		codetool.Serve()
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // a quarter of the time of these tests was the collector's; a node of its own has its own rule
	}
	if names := os.Getenv("PARLEY_TEST_NODES"); names != "" { // the share that has the race detector, or Apache Kafka
		if err := flag.Set("test.run", names); err != nil {
			fmt.Fprintln(os.Stderr, "PARLEY_TEST_NODES:", err)
			os.Exit(2)
		}
	}
	code := m.Run()
	process.end()
	os.Exit(code)
}
