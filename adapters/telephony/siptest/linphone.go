package siptest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Linphone is a soft phone that knows attended transfers: asked by a REFER with Replaces, it calls whom that names in our place.
type Linphone struct{ *Peer }

// Attends runs one that picks up by itself.
func Attends(t testing.TB) Linphone { return attends(t, "", "") }

// AttendsBehind is Attends of one whose calls go by a port, wherever it is said that they lead.
func AttendsBehind(t testing.TB, port int) Linphone {
	return attends(t, "default_proxy=0\n", fmt.Sprintf("[proxy_0]\nreg_proxy=<sip:%[1]s:%[2]d>\nreg_route=<sip:%[1]s:%[2]d;lr>\n"+
		"reg_identity=sip:phone@%[1]s\nreg_sendregister=0\npublish=0\n", Host, port))
}

func attends(t testing.TB, sip, more string) Linphone {
	t.Helper()
	dir, port := t.TempDir(), FreePort(t)
	settings, commands := filepath.Join(dir, "settings"), filepath.Join(dir, "commands")
	require.NoError(t, os.WriteFile(settings, fmt.Appendf(nil, // without an address to bind to it describes sound at one of the machine's
		"[sip]\nguess_hostname=0\ncontact=<sip:phone@%s>\n%s[rtp]\nbind_address=%[1]s\naudio_rtp_port=%[3]d\n%s", Host, sip, FreePort(t), more),
		0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".local", "share", "linphone"), 0o700)) // where it keeps what it was called by
	require.NoError(t, syscall.Mkfifo(commands, 0o600))
	p := Linphone{start(t, dir, "/bin/sh", "-c", `HOME="$1" exec "$2" -c "$3" -a <>"$4"`, "sh", dir, Need(t, "linphonec", "linphone-cli"),
		settings, commands)}
	p.name, p.Port = "linphonec", port
	p.Says("linphonec>")
	p.Do("soundcard use files")
	p.Do("ports sip " + strconv.Itoa(port)) // its settings are not asked for that
	p.listens()
	return p
}

// Says waits until it has said something.
func (p Linphone) Says(what string) {
	p.t.Helper()
	require.Eventually(p.t, func() bool { return strings.Contains(p.Output(), what) }, patience, 20*time.Millisecond,
		"it does not say %q: %s", what, &p.out)
}

// Do has it do something.
func (p Linphone) Do(command string) {
	p.t.Helper()
	in, err := os.OpenFile(filepath.Join(p.Dir, "commands"), os.O_WRONLY, 0)
	require.NoError(p.t, err)
	_, err = fmt.Fprintln(in, command)
	require.NoError(p.t, err)
	require.NoError(p.t, in.Close())
}
