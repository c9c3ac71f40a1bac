package codetool

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/parley-platform/parley/adapters/embedded/child"
)

// Options of a Runner; the zero value is what a server has.
type Options struct {
	Most     int           // children at a time; 0: twice the cores, at least 4
	Share    int           // of them for one owner; 0: half of Most, at least one
	Idle     time.Duration // that one waits for work; 0: a minute
	Patience time.Duration // that a call waits for a free child; 0: 10 s
	Program  string        // whose processes the children are; empty: this one
	Log      *slog.Logger
}

// Runner has the children that run programs, and starts and ends them as they are needed. It may
// be used by many goroutines.
type Runner struct {
	o    Options
	room chan struct{} // as many as there may be

	mu     sync.Mutex
	shares map[string]*share // by owner
	idle   []*process        // the last of them was used last
	all    map[*process]bool
	closed bool
}

// A child is replaced after so much work, before it meets the limit of its life.
const (
	mostCalls = 1_000
	mostWork  = 5 * time.Minute
	mostSaid  = 500 // bytes, of what a child says before it dies
)

// New makes one that has no child yet.
func New(o Options) *Runner {
	if o.Most <= 0 {
		o.Most = max(4, 2*runtime.GOMAXPROCS(0))
	}
	if o.Share <= 0 {
		o.Share = max(1, o.Most/2)
	}
	if o.Idle <= 0 {
		o.Idle = time.Minute
	}
	if o.Patience <= 0 {
		o.Patience = 10 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Runner{o: o, room: make(chan struct{}, o.Most), shares: map[string]*share{}, all: map[*process]bool{}}
}

// Processes are how many children there are, and how many of them have nothing to do.
func (r *Runner) Processes() (all, idle int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.all), len(r.idle)
}

// Close ends all children, those that run something too.
func (r *Runner) Close() {
	r.mu.Lock()
	r.closed, r.idle = true, nil
	all := r.all
	r.all = map[*process]bool{}
	r.mu.Unlock()
	for p := range all {
		p.end()
	}
}

// process is one child.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	pipe  *os.File
	out   *bufio.Reader // of pipe
	said  *child.Said   // on its standard error
	gone  <-chan struct{}
	calls int
	work  time.Duration
	timer *time.Timer // while it is idle
}

// end kills the child, and waits until it is gone.
func (p *process) end() {
	_ = p.cmd.Process.Kill() // one that is gone already is not met by it, nor who has its number now
	<-p.gone
	_, _ = p.in.Close(), p.pipe.Close()
}

// ask has a child run something for a call.
func (r *Runner) ask(ctx context.Context, c Call, a asked) answered {
	leave, ok := r.enter(ctx, c.Owner)
	if !ok {
		return answered{Code: CodeBusy}
	}
	defer leave()
	p, err := r.take()
	if err != nil {
		r.o.Log.Error("no process can be started for the code of tools", "error", err)
		return answered{Code: CodeAway}
	}
	began := time.Now()
	told := p.do(ctx, a, c.Memory)
	p.calls++
	p.work += time.Since(began)
	if told.Code == CodeCrashed {
		r.o.Log.Warn("a process ended while it ran the code of a tool", "after", time.Since(began), "said", p.said.String())
	}
	r.giveBack(p, told.Last || p.calls >= mostCalls || p.work >= mostWork)
	return told
}

// do asks, and has the child killed when it does not answer in time. What the program does to its
// memory is done meanwhile, and takes of its time.
func (p *process) do(ctx context.Context, a asked, memory Memory) (told answered) {
	type outcome struct {
		told answered
		err  error
	}
	answers := make(chan outcome, 1)
	within, cancel := context.WithTimeout(ctx, a.Timeout)
	defer cancel()
	go func() {
		var o outcome
		next := a
		for n := 0; ; n++ {
			o.told = answered{}
			if o.err = send(p.in, next); o.err == nil || n > 0 { // it may have said something, and be gone
				o.err = receive(p.out, &o.told)
			}
			if o.err != nil || len(o.told.Use) == 0 {
				break
			}
			if next = (asked{Used: memory.do(within, o.told.Use, n)}); within.Err() != nil && ctx.Err() == nil {
				return // the child is killed: what it makes of a use that took too long is no answer
			}
		}
		answers <- o
	}()
	late := time.NewTimer(a.Timeout + grace)
	defer late.Stop()
	select {
	case o := <-answers:
		if o.err != nil {
			return answered{Code: CodeCrashed, Last: true}
		}
		return o.told
	case <-late.C:
		return answered{Code: codeTimeout, Last: true}
	case <-ctx.Done():
		return answered{Code: CodeCancelled, Last: true}
	}
}

// take is an idle child, or a new one.
func (r *Runner) take() (*process, error) {
	for {
		r.mu.Lock()
		n := len(r.idle)
		if n == 0 || r.closed {
			r.mu.Unlock()
			return r.start()
		}
		p := r.idle[n-1]
		r.idle = r.idle[:n-1]
		r.mu.Unlock()
		if !p.timer.Stop() {
			<-p.gone // it ends just now
			continue
		}
		select {
		case <-p.gone:
			r.forget(p)
		default:
			return p, nil
		}
	}
}

// giveBack has a child wait for more, or ends it.
func (r *Runner) giveBack(p *process, ended bool) {
	r.mu.Lock()
	if !ended && !r.closed {
		p.timer = time.AfterFunc(r.o.Idle, func() { r.drop(p) })
		r.idle = append(r.idle, p)
		r.mu.Unlock()
		return
	}
	r.mu.Unlock()
	p.end()
	r.forget(p)
}

// drop ends a child that nobody needed for long.
func (r *Runner) drop(p *process) {
	r.mu.Lock()
	for i, other := range r.idle {
		if other == p {
			r.idle = append(r.idle[:i], r.idle[i+1:]...)
			break
		}
	}
	r.mu.Unlock()
	p.end()
	r.forget(p)
}

func (r *Runner) forget(p *process) {
	r.mu.Lock()
	delete(r.all, p)
	r.mu.Unlock()
}

// start starts a child, and waits until it has given up what it must not have.
func (r *Runner) start() (*process, error) {
	program, err := this()
	if r.o.Program != "" {
		program, err = r.o.Program, nil
	}
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(program, Asking), said: &child.Said{Most: mostSaid}}
	p.cmd.Env, p.cmd.Dir, p.cmd.Stderr = []string{}, "/", p.said
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	var out *os.File
	if p.pipe, out, err = os.Pipe(); err != nil { // one that stays open when the child is gone: it may have said something
		return nil, err
	}
	p.cmd.Stdout, p.out = out, bufio.NewReader(p.pipe)
	child.Tie(p.cmd, syscall.SIGKILL)
	p.gone, err = child.Start(p.cmd)
	_ = out.Close()
	if err != nil {
		_ = p.pipe.Close()
		return nil, err
	}
	stuck := time.AfterFunc(r.o.Patience, p.end)
	var ready answered
	err = receive(p.out, &ready)
	if err == nil && ready.Code != "" {
		err = errAway(ready.Problem)
	}
	if !stuck.Stop() || err != nil {
		p.end()
		return nil, errAway("a process for code did not begin: " + p.said.String())
	}
	r.mu.Lock()
	closed := r.closed
	if !closed {
		r.all[p] = true
	}
	r.mu.Unlock()
	if closed {
		p.end()
		return nil, errAway("the server ends")
	}
	return p, nil
}

// errAway says why there is no process.
type errAway string

// Error says it.
func (e errAway) Error() string { return string(e) }

// this is the binary that runs, also when another one has taken its place since.
func this() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}
