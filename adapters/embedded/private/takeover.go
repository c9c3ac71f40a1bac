package private

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// clearLeftovers makes the cluster free to be started: whatever a killed process
// left running in it is stopped, and a stale postmaster.pid and socket are removed. The caller
// holds the lock of the folder, so no live Parley owns what is found here.
func clearLeftovers(ctx context.Context, f folder, log *slog.Logger) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := stopLeftovers(f, log); err != nil {
		return err
	}
	// With no process left in the cluster the file says nothing true any more. It
	// would still stop a start when its number now belongs to another program.
	err := os.Remove(filepath.Join(f.cluster(), "postmaster.pid"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the stale postmaster.pid: %w", err)
	}
	return f.clearSockets()
}

// stopLeftovers asks politely, then firmly, then not at all.
func stopLeftovers(f folder, log *slog.Logger) error {
	steps := []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGINT, stopTimeout}, {syscall.SIGQUIT, 10 * time.Second}, {syscall.SIGKILL, 10 * time.Second}}
	for _, step := range steps {
		left := processesIn(f.cluster())
		if len(left) == 0 {
			return nil
		}
		log.Info("stopping the Postgres that a killed process left behind", "folder", f.home, "processes", left, "signal", step.signal.String())
		signalLeftovers(f, left, step.signal)
		if gone(f, step.wait) {
			return nil
		}
	}
	return fmt.Errorf("processes %v still work in %s; stop them and start again", processesIn(f.cluster()), f.cluster())
}

// signalLeftovers signals the postmaster alone while there is one, since it stops
// its children in order; else (it was killed) all that is left.
func signalLeftovers(f folder, left []int, s syscall.Signal) {
	if s != syscall.SIGKILL {
		postmaster := postmasterPID(f)
		for _, pid := range left {
			if pid == postmaster {
				_ = syscall.Kill(pid, s)
				return
			}
		}
	}
	for _, pid := range left {
		_ = syscall.Kill(pid, s)
	}
}

func gone(f folder, within time.Duration) bool {
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if len(processesIn(f.cluster())) == 0 {
			return true
		}
	}
	return false
}

func postmasterPID(f folder) int {
	text, err := os.ReadFile(filepath.Join(f.cluster(), "postmaster.pid"))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		return 0
	}
	return pid
}

// processesIn lists the server processes of a cluster: each of them works with the
// cluster as its current folder, or was started for it. The number in postmaster.pid alone proves nothing,
// since after a reboot it may be anyone's.
func processesIn(cluster string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return postmasterByName(cluster)
	}
	var pids []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		if worksIn(filepath.Join("/proc", entry.Name()), cluster) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// worksIn tells a server process from a person's shell that stands in the folder. A
// postmaster in its first moments has not gone there yet, and where this process may
// not look at the folder of others, as root in a container, it is never seen there:
// its command line names the cluster.
func worksIn(proc, cluster string) bool {
	name, err := os.ReadFile(filepath.Join(proc, "comm"))
	if err != nil || !strings.HasPrefix(string(name), "postgres") {
		return false
	}
	if at, err := os.Readlink(filepath.Join(proc, "cwd")); err == nil && at == cluster {
		return true
	}
	command, err := os.ReadFile(filepath.Join(proc, "cmdline"))
	return err == nil && strings.Contains(string(command), "\x00-D\x00"+cluster+"\x00")
}

// postmasterByName is for systems without /proc: the process of postmaster.pid, if
// its command line names this cluster.
func postmasterByName(cluster string) []int {
	pid := postmasterPID(folder{home: filepath.Dir(cluster)})
	if pid <= 0 {
		return nil
	}
	command, err := exec.Command("ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	if err != nil || !strings.Contains(string(command), cluster) {
		return nil
	}
	return []int{pid}
}
