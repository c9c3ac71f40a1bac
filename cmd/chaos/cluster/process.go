package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/parley-platform/parley/adapters/embedded/child"
)

// process is a child that ends with us. Its output is appended to a file.
type process struct {
	cmd  *exec.Cmd
	done <-chan struct{} // closed when it is gone
}

// spawn starts a program.
func spawn(logFile string, env []string, program string, args ...string) (*process, error) {
	out, err := os.OpenFile(logFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() { _ = out.Close() }()
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, out, out
	child.Tie(cmd, syscall.SIGKILL)
	gone, err := child.Start(cmd)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", program, err)
	}
	return &process{cmd, gone}, nil
}

func (p *process) signal(s syscall.Signal) error {
	err := p.cmd.Process.Signal(s)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

func (p *process) running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// kill is kill -9; it returns when the process is gone.
func (p *process) kill() {
	_ = p.signal(syscall.SIGKILL)
	<-p.done
}
