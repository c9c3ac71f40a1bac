//go:build interop

package interop

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// livekit is LiveKit's own server, which is built here once.
var livekit = sync.OnceValues(func() (program string, err error) {
	dir, err := installed("livekit", "livekit.txt", func(dir string) error {
		pin, err := os.ReadFile(filepath.Join(repository, "interop", "tools", "livekit.txt"))
		if err != nil {
			return err
		}
		return quietly(repository, "env", "GOBIN="+dir, "GOGC=400",
			"go", "install", "-trimpath", "-ldflags=-s -w", strings.TrimSpace(string(pin)))
	})
	return filepath.Join(dir, "server"), err
})

// withLiveKit starts LiveKit's server, and one of ours that has an account there.
func withLiveKit(t *testing.T) (s Server, account []string) {
	t.Helper()
	program, err := livekit()
	require.NoError(t, err)
	port := func(first int) string { return strings.TrimPrefix(freeFrom(first), "127.0.0.1:") }
	at, tcp, udp := port(15_300), port(15_400), port(15_500)
	const key, secret = "APIrooms", "a secret of rooms that is long enough"
	account = []string{"LIVEKIT_URL=http://127.0.0.1:" + at, "LIVEKIT_API_KEY=" + key, "LIVEKIT_API_SECRET=" + secret}
	s, err = startWith(account, "livekit")
	require.NoError(t, err)
	cmd := exec.Command(program, "--config-body", fmt.Sprintf(`
port: %s
bind_addresses: ["127.0.0.1"]
rtc: {tcp_port: %s, udp_port: %s, use_external_ip: false, node_ip: 127.0.0.1, enable_loopback_candidate: true}
keys: {%s: %q}
webhook: {api_key: %[4]s, urls: ["%[6]s/api/v1/channels/livekit/webhook"]}
logging: {level: error}
`, at, tcp, udp, key, secret, s.URL))
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	require.NoError(t, cmd.Start())
	endsWithTests(cmd)
	require.Eventually(t, func() bool {
		answer, err := http.Get("http://127.0.0.1:" + at)
		return err == nil && answer.Body.Close() == nil
	}, patience, 50*time.Millisecond, "LiveKit's server does not answer")
	return s, account
}

// Given LiveKit's own server, when somebody joins a room there with LiveKit's own client, then its webhook brings our agent, the
// two hear each other, what the person writes is read, and the call is over when the server says that the room is.
func TestPeerLiveKitsServer(t *testing.T) {
	t.Parallel()
	s, account := withLiveKit(t)
	require.Contains(t, s.room(t, account, "webhooks"), "both were heard")
}
