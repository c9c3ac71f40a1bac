package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/parley-platform/parley/adapters/embedded/child"
)

// processes are brokers run from Maven's jars, on ports of loopback.
type processes struct {
	java, classpath string
	options         Options
	brokers         []*process
	controller      *process // nil: the one broker is it
}

// process is one JVM, which may be started several times on the same folder.
type process struct {
	member
	heap string

	mu   sync.Mutex
	cmd  *exec.Cmd
	gone <-chan struct{} // closed when the JVM has ended
}

func startProcesses(ctx context.Context, o Options) (machine, []string, error) {
	program, err := java(ctx)
	if err != nil {
		return nil, nil, err
	}
	libs, err := jars(ctx, o.Progress)
	if err != nil {
		return nil, nil, err
	}
	ports, err := freePorts(o.Brokers + 1)
	if err != nil {
		return nil, nil, err
	}
	p := &processes{java: program, classpath: filepath.Join(libs, "*"), options: o}
	if p.options.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, nil, err
	}
	brokers, controller := plan(p.options, ports)
	var addresses []string
	for _, m := range brokers {
		addresses = append(addresses, net.JoinHostPort("127.0.0.1", strconv.Itoa(m.broker)))
		p.brokers = append(p.brokers, &process{member: m, heap: o.Heap})
	}
	if controller.broker == 0 {
		p.controller = &process{member: controller, heap: "192m"}
	}
	if o.Secure != nil {
		if err := o.Secure.prepare(p.options.Dir); err != nil {
			return nil, nil, err
		}
	}
	fmt.Fprintf(o.Progress, "kafka: starting %d broker(s) of Apache Kafka %s with %s on %s\n", o.Brokers, Version(), program,
		strings.Join(addresses, ","))
	began := time.Now()
	if err := p.format(ctx, controller); err != nil {
		return nil, nil, err
	}
	for _, m := range p.all() {
		if err := p.run(m); err != nil {
			return p, addresses, err
		}
	}
	fmt.Fprintf(o.Progress, "kafka: formatted in %.1f s, waiting for the brokers\n", time.Since(began).Seconds())
	return p, addresses, nil
}

func (p *processes) all() []*process {
	if p.controller == nil {
		return p.brokers
	}
	return append([]*process{p.controller}, p.brokers...)
}

// format writes each member's settings and makes its log folder Kafka's.
func (p *processes) format(ctx context.Context, controller member) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, m := range p.all() {
		if err := os.MkdirAll(m.dir, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(m.settings(), m.properties(p.options, controller), 0o600); err != nil {
			return err
		}
		args := append(p.jvm("128m"), "kafka.tools.StorageTool", "format", "--ignore-formatted", "-t", clusterID, "-c", m.settings())
		if p.options.Secure != nil {
			args = append(args, p.options.Secure.formatting()...)
		}
		g.Go(func() error {
			cmd := exec.CommandContext(ctx, p.java, args...)
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("formatting Kafka's storage: %w\n%s", err, tail(out))
			}
			return nil
		})
	}
	return g.Wait()
}

// jvm are flags for a small machine that starts many: the quick compiler only and
// no collector threads.
func (p *processes) jvm(heap string) []string {
	return []string{"-Xmx" + heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto",
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dorg.slf4j.simpleLogger.showDateTime=true",
		"-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS", "-cp", p.classpath}
}

func (m member) settings() string { return filepath.Join(m.dir, "server.properties") }
func (m member) output() string   { return filepath.Join(m.dir, "output.log") }

// run starts the JVM, which ends when this process does.
func (p *processes) run(m *process) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	out, err := os.OpenFile(m.output(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command(p.java, append(p.jvm(m.heap), "kafka.Kafka", m.settings())...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = m.dir, out, out
	child.Tie(cmd, syscall.SIGKILL)
	gone, err := child.Start(cmd)
	if err != nil {
		return fmt.Errorf("starting a broker: %w", err)
	}
	m.cmd, m.gone = cmd, gone
	return nil
}

func (p *processes) start(ctx context.Context, broker int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return p.run(p.brokers[broker])
}

func (p *processes) kill(broker int) error {
	return p.brokers[broker].end(syscall.SIGKILL, 10*time.Second)
}
func (p *processes) pause(broker int) error  { return p.brokers[broker].signal(syscall.SIGSTOP) }
func (p *processes) resume(broker int) error { return p.brokers[broker].signal(syscall.SIGCONT) }

// stop gives a broker time to hand its partitions over; one that cannot, because
// the others are down, is ended at last.
func (p *processes) stop(broker int) error {
	m := p.brokers[broker]
	_ = m.signal(syscall.SIGCONT)
	if err := m.end(syscall.SIGTERM, 20*time.Second); err == nil {
		return nil
	}
	return m.end(syscall.SIGKILL, 10*time.Second)
}

func (p *processes) close() error {
	var g errgroup.Group
	for _, m := range p.all() {
		g.Go(func() error { return m.end(syscall.SIGKILL, 10*time.Second) })
	}
	return g.Wait()
}

var errNotRunning = errors.New("it does not run")

func (m *process) signal(s syscall.Signal) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cmd == nil {
		return errNotRunning
	}
	select {
	case <-m.gone:
		return fmt.Errorf("%w: it ended with %v, see %s", errNotRunning, m.cmd.ProcessState, m.output())
	default:
		return m.cmd.Process.Signal(s)
	}
}

// end signals and waits for the JVM's end; one that has ended is fine.
func (m *process) end(s syscall.Signal, within time.Duration) error {
	if err := m.signal(s); err != nil {
		if errors.Is(err, errNotRunning) || errors.Is(err, os.ErrProcessDone) {
			return nil
		}
		return err
	}
	select {
	case <-m.gone:
		return nil
	case <-time.After(within):
		return fmt.Errorf("it still runs %s after %s", within, s)
	}
}

// failure is what the JVM said last, for an error about a broker that did not come up.
func (m *process) failure() string {
	f, err := os.Open(m.output())
	if err != nil {
		return ""
	}
	defer f.Close()
	out, _ := io.ReadAll(f)
	return tail(out)
}

func (p *processes) ended() error {
	for _, m := range p.all() {
		select {
		case <-m.gone:
			return fmt.Errorf("a broker ended at once:\n%s", m.failure())
		default:
		}
	}
	return nil
}

// freePorts are ports of loopback that nobody listens on, below the range from which
// the system takes the ports of outgoing connections: a broker comes back for its
// own after a restart.
func freePorts(n int) ([]int, error) {
	var ports []int
	for port := 20000 + rand.IntN(9000); len(ports) < n && port < 30000; port++ {
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			continue
		}
		_ = l.Close()
		ports = append(ports, port)
	}
	if len(ports) < n {
		return nil, fmt.Errorf("no %d free ports below 30000", n)
	}
	return ports, nil
}
