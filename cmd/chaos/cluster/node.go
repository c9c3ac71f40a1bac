package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/parley-platform/parley/cmd/chaos/proxy"
)

// Node is one `parley serve` with a link in front of each of its ways. When its
// process ends by itself it is started again, as a supervisor does, and counted.
type Node struct {
	Name     string
	Data     string
	Kafka    *proxy.Kafka
	ToKafka  []*proxy.Link // by broker
	ToDB     *proxy.Link
	FromHere *proxy.Link // from the callers

	More []string // flags of parley serve, from the next start on

	binary string
	args   []string
	env    []string // beside what is inherited
	listen string
	log    string

	mu       sync.Mutex
	process  *process
	down     bool // it is meant to be down
	deaths   int  // ends that nobody asked for
	watchers sync.WaitGroup
}

// URL is where callers reach the node: through its link.
func (n *Node) URL() string { return "http://" + n.FromHere.Address() }

// DirectURL is the node past its link.
func (n *Node) DirectURL() string { return "http://" + n.listen }

// Links are all ways of the node.
func (n *Node) Links() []*proxy.Link {
	return append(append([]*proxy.Link{}, n.ToKafka...), n.ToDB, n.FromHere)
}

// Deaths is how often the process ended by itself.
func (n *Node) Deaths() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.deaths
}

// Start starts the process and does not wait for it.
func (n *Node) Start() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.start()
}

func (n *Node) start() error {
	p, err := spawn(n.log, append(cleanEnvironment(), n.env...), n.binary, slices.Concat(n.args, n.More)...)
	if err != nil {
		return err
	}
	n.process, n.down = p, false
	n.watchers.Go(func() { n.watch(p) })
	return nil
}

// watch starts the node again when it ends by itself.
func (n *Node) watch(p *process) {
	<-p.done
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.down || n.process != p {
		return
	}
	n.deaths++
	time.Sleep(300 * time.Millisecond)
	_ = n.start()
}

// Kill is kill -9.
func (n *Node) Kill() {
	n.mu.Lock()
	n.down = true
	p := n.process
	n.mu.Unlock()
	p.kill()
}

// Terminate asks for an orderly end and waits for it.
func (n *Node) Terminate(within time.Duration) error {
	n.mu.Lock()
	n.down = true
	p := n.process
	n.mu.Unlock()
	_ = p.signal(syscall.SIGTERM)
	select {
	case <-p.done:
		return nil
	case <-time.After(within):
		p.kill()
		return fmt.Errorf("node %s did not drain within %s", n.Name, within)
	}
}

// Pause freezes the process; Resume lets it go on as if no time had passed.
func (n *Node) Pause() error { return n.signal(syscall.SIGSTOP) }

// Resume ends Pause.
func (n *Node) Resume() error { return n.signal(syscall.SIGCONT) }

func (n *Node) signal(s syscall.Signal) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.process.signal(s)
}

var health = &http.Client{Timeout: 2 * time.Second}

// Ready is nil when the node says that everything is there.
func (n *Node) Ready() error {
	res, err := health.Get(n.DirectURL() + "/readyz")
	if err != nil {
		return err
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("node %s: /readyz says %s", n.Name, res.Status)
	}
	return nil
}

// Readyz is what the health check says, whatever its status.
func (n *Node) Readyz() (string, error) {
	res, err := health.Get(n.DirectURL() + "/readyz")
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return string(text), err
}

// AwaitReady waits for Ready.
func (n *Node) AwaitReady(ctx context.Context, atMost time.Duration) error {
	return Until(ctx, atMost, "node "+n.Name+" to be ready", n.Ready)
}

func (n *Node) close() {
	n.mu.Lock()
	p := n.process
	n.down = true
	n.mu.Unlock()
	if p != nil {
		_ = p.signal(syscall.SIGCONT)
		_ = p.signal(syscall.SIGTERM)
		select {
		case <-p.done:
		case <-time.After(20 * time.Second):
			p.kill()
		}
	}
	n.watchers.Wait()
	for _, l := range n.Links() {
		l.Close()
	}
}

// Environment reads the settings that `serve --dev` wrote.
func (n *Node) Environment() (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(n.Data, "dev.env"))
	if err != nil {
		return nil, err
	}
	env := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "="); ok {
			env[name] = strings.Trim(value, "'")
		}
	}
	if env["PARLEY_TOKEN"] == "" {
		return nil, errors.New("dev.env has no token yet")
	}
	return env, nil
}

// cleanEnvironment leaves out the settings of whoever runs this.
func cleanEnvironment() []string {
	var kept []string
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); !strings.HasPrefix(name, "PARLEY_") && !strings.HasPrefix(name, "PG") && !strings.HasPrefix(name,
			"KAFKA_") && !strings.HasPrefix(name, "TWILIO_") && name != "ACCOUNT_ID" {
			kept = append(kept, kv)
		}
	}
	return kept
}
