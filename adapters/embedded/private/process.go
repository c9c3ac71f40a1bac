package private

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/parley-platform/parley/adapters/embedded/child"
)

// process is a running server.
type process struct {
	cmd  *exec.Cmd
	done <-chan struct{} // closed when the process is gone
}

// startProcess runs the server so that it ends when this process does.
func startProcess(f folder, program string, args []string) (*process, error) {
	out, err := openServerLog(f)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd := f.command(context.Background(), program, args...)
	cmd.Stdout, cmd.Stderr = out, out
	gone, err := child.Start(cmd)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	return &process{cmd, gone}, nil
}

// command is a program of Postgres run in the folder as the folder's owner.
func (f folder) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = f.home
	cmd.Env = append(os.Environ(), "LC_ALL=C", "HOME="+f.home)
	child.Tie(cmd, syscall.SIGINT) // a fast shutdown
	if f.owner != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: f.owner.uid, Gid: f.owner.gid}
	}
	return cmd
}

// openServerLog opens the server's log, starting it anew once it has 16 MiB.
func openServerLog(f folder) (*os.File, error) {
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if info, err := os.Stat(f.serverLog()); err == nil && info.Size() > 16<<20 {
		flags |= os.O_TRUNC
	}
	out, err := os.OpenFile(f.serverLog(), flags, 0o600)
	if err != nil {
		return nil, err
	}
	return out, f.owner.own(f.serverLog())
}

func (p *process) pid() int { return p.cmd.Process.Pid }

func (p *process) signal(s syscall.Signal) {
	select {
	case <-p.done:
	default:
		_ = p.cmd.Process.Signal(s)
	}
}

// wait reports whether the process is gone within the time.
func (p *process) wait(atMost time.Duration) bool {
	select {
	case <-p.done:
		return true
	case <-time.After(atMost):
		return false
	}
}

// awaitReady waits until the server answers, making the database on the way.
func (p *Postgres) awaitReady(ctx context.Context) error {
	for {
		err := p.ensureDatabase(ctx)
		if err == nil {
			return nil
		}
		var refusal *pgconn.PgError
		if errors.As(err, &refusal) && refusal.Code != "57P03" { // 57P03: still starting
			return fmt.Errorf("the server refuses us: %w; if its password file was changed, delete %s: the read models come back from the log",
				err, p.folder.home)
		}
		select {
		case <-p.process.done:
			return fmt.Errorf("the server ended while starting:\n%s\nthe whole log is %s", lastLines(p.folder.serverLog(), 12), p.folder.serverLog())
		case <-ctx.Done():
			return fmt.Errorf("the server did not answer in time (%w; last: %w); see %s", ctx.Err(), err, p.folder.serverLog())
		case <-time.After(15 * time.Millisecond):
		}
	}
}

func (p *Postgres) ensureDatabase(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, p.urlOf("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var exists bool
	err = conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, databaseName).Scan(&exists)
	if err != nil || exists {
		return err
	}
	_, err = conn.Exec(ctx, `CREATE DATABASE `+databaseName)
	return err
}

func portTaken(err error) bool {
	return strings.Contains(err.Error(), "could not create any TCP/IP sockets") ||
		strings.Contains(err.Error(), "Address already in use")
}

// inUse reports whether another server has the cluster.
func inUse(err error) bool { return strings.Contains(err.Error(), "Is another postmaster") }

// lastLines is the end of a text file, for an error message.
func lastLines(path string, n int) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
