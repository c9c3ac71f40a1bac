package child_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/child"
	"github.com/parley-platform/parley/adapters/embedded/childtest"
)

// The main thread never ends before the process does: no test is to be given it.
func init() { runtime.LockOSThread() }

func TestMain(m *testing.M) {
	childtest.Main(m, childtest.Roles{"parent": func(string) error {
		program := exec.Command("sleep", "infinity")
		child.Tie(program, syscall.SIGKILL)
		_, err := child.Start(program)
		fmt.Println(program.Process.Pid)
		if err != nil {
			return err
		}
		select {}
	}})
}

func TestAChildEndsWithUs(t *testing.T) {
	parent := childtest.Start(t, "parent", t.TempDir())
	pid := parent.Said(1)[0]
	require.True(t, runs(pid))

	parent.Kill9()

	require.Eventually(t, func() bool { return !runs(pid) }, time.Minute, time.Millisecond)
}

// runs says whether a process has not ended. One that nobody has waited for yet has.
func runs(pid string) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	if err != nil {
		return false
	}
	var number int
	var name, state string
	_, err = fmt.Sscan(string(stat), &number, &name, &state)
	return err == nil && state != "Z" && state != "X"
}

// The thread of a caller may end at any time; the child must not notice.
func TestAChildOutlivesTheThreadOfWhoStartedIt(t *testing.T) {
	program := exec.Command("cat")
	child.Tie(program, syscall.SIGKILL)
	in, err := program.StdinPipe()
	require.NoError(t, err)
	echo, out, err := os.Pipe()
	require.NoError(t, err)
	program.Stdout = out

	type start struct {
		thread int
		gone   <-chan struct{}
		err    error
	}
	starts := make(chan start)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this function
		gone, err := child.Start(program)
		starts <- start{syscall.Gettid(), gone, err}
	}()
	s := <-starts
	require.NoError(t, s.err)
	require.NoError(t, out.Close())
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join("/proc/self/task", strconv.Itoa(s.thread)))
		return os.IsNotExist(err)
	}, time.Minute, time.Millisecond)

	_, err = io.WriteString(in, "still here\n")
	require.NoError(t, err)
	line, err := bufio.NewReader(echo).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "still here\n", line)

	require.NoError(t, in.Close())
	<-s.gone
	require.True(t, program.ProcessState.Success())
}

func TestWhatCannotBeStarted(t *testing.T) {
	program := exec.Command(filepath.Join(t.TempDir(), "nothing"))
	child.Tie(program, syscall.SIGKILL)
	_, err := child.Start(program)
	require.ErrorIs(t, err, os.ErrNotExist)
}
