//go:build interop

package interop

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// providers are where a server finds what its tests play, which it has to know as it starts.
type providers struct {
	account []string // at LiveKit
	teams   string   // the port of Microsoft's keys, login and connector
	mail    string   // where it takes mail
}

// peers is the one server whose providers are played by tests.
var peers = sync.OnceValues(func() (Server, error) {
	at, err := places()
	if err != nil {
		return Server{}, err
	}
	return startWith(append([]string{"MSTEAMS_BASE_URL=http://127.0.0.1:" + at.teams}, at.account...), "peers", "--smtp-listen", at.mail)
})

var places = sync.OnceValues(func() (at providers, err error) {
	teams, mail := free(), free()
	at.account = []string{"LIVEKIT_API_KEY=APIpeer", "LIVEKIT_API_SECRET=a secret of the peers that is long enough"}
	rooms, err := serveRooms(at.account)
	if err != nil {
		return at, err
	}
	return providers{teams: teams, mail: "127.0.0.1:" + mail, account: append(at.account, "LIVEKIT_URL="+rooms)}, nil
})

func withPeers(t *testing.T) (Server, providers) {
	t.Helper()
	s, err := peers()
	require.NoError(t, err)
	at, err := places()
	require.NoError(t, err)
	return s, at
}

// serveRooms starts the server of rooms of our tests, which LiveKit's own client joins, and says where it is. It tells at
// /asked what its API was asked.
func serveRooms(account []string) (url string, err error) {
	program := filepath.Join(scratch, "rooms")
	build := exec.Command("go", "build", "-o", program, "./adapters/livekit/livekittest/serve")
	build.Dir = repository
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the server of rooms: %w\n%s", err, out)
	}
	cmd := exec.Command(program)
	cmd.Env, cmd.Stderr = append(os.Environ(), account...), os.Stderr
	if _, err = cmd.StdinPipe(); err != nil { // with whose end it ends
		return "", err
	}
	says, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	endsWithTests(cmd)
	line, err := bufio.NewReader(says).ReadString('\n')
	return strings.TrimSpace(line), err
}

// pythonOfVoice has the libraries of Twilio and LiveKit, which are installed once.
var pythonOfVoice = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(repository, ".tools", "interop", "voice")
	return filepath.Join(dir, "bin", "python"), quietly(repository, "scripts/pinned.sh", "venv", dir,
		filepath.Join("interop", "tools", "voice.txt"))
})

// Given the libraries of Twilio and LiveKit, when theirs signs a request we believe it, and when we
// sign a token or a request theirs does.
func TestPeerTwilioAndLiveKit(t *testing.T) {
	t.Parallel()
	s, at := withPeers(t)
	python, err := pythonOfVoice()
	require.NoError(t, err)
	require.Contains(t, job{env: s.environ(at.account...)}.run(t, python, "interop/voice/talk.py"),
		"all answers were right")
}

// Given LiveKit's own client, when somebody joins a room with it, then our agent comes, and the two hear each other. The
// client is the judge of the server that we join with it, too.
func TestPeerLiveKitHearsAnAgent(t *testing.T) {
	t.Parallel()
	s, at := withPeers(t)
	require.Contains(t, s.room(t, at.account), "both were heard")
}

// room has somebody join a room with LiveKit's client and talk there with our agent, and gives what the script says. The webhooks
// of the room are the script's own unless LiveKit's server sends them.
func (s Server) room(t *testing.T, account []string, more ...string) string {
	t.Helper()
	python, err := pythonOfVoice()
	require.NoError(t, err)
	spoken := filepath.Join(t.TempDir(), "spoken.wav")
	require.NoError(t, quietly(repository, "espeak-ng", "-w", spoken, "Good day. I would like to read my meter."),
		"espeak-ng speaks for the person; scripts/prerequisites.sh voice installs it")
	return job{env: s.environ(account...)}.run(t, python, append([]string{"interop/voice/room.py", spoken}, more...)...)
}

// The messages that our tests compare with are those of the library that is pinned here.
func TestPeerLiveKitsMessages(t *testing.T) {
	t.Parallel()
	python, err := pythonOfVoice()
	require.NoError(t, err)
	require.Contains(t, job{}.run(t, python, "interop/voice/signals.py",
		"adapters/livekit/signal/testdata/livekit-protocol-1.1.29.json"), "they are what it writes")
}
