//go:build apache

package kafkatest

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A test process that is killed leaves no broker behind.
func TestBrokersEndWithAKilledProcess(t *testing.T) {
	if os.Getenv("PARLEY_TEST_CHILD") != "" {
		c, err := StartCluster(context.Background(), Options{Owned: true, Dir: os.Getenv("PARLEY_TEST_CHILD")})
		require.NoError(t, err)
		fmt.Println("broker " + strings.Join(c.Addresses(), ","))
		select {}
	}
	child := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	child.Env = append(os.Environ(), "PARLEY_TEST_CHILD="+t.TempDir())
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	address := ""
	for lines := bufio.NewScanner(out); address == "" && lines.Scan(); {
		address, _ = strings.CutPrefix(lines.Text(), "broker ")
		if !strings.Contains(address, ":") || strings.Contains(address, " ") {
			address = ""
		}
	}
	require.NotEmpty(t, address, "the child started a broker")
	require.True(t, listens(address))

	require.NoError(t, child.Process.Kill())
	_ = child.Wait()
	require.Eventually(t, func() bool { return !listens(address) }, 30*time.Second, 20*time.Millisecond)
}

func listens(address string) bool {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}
